// How far it is: what was estimated so far, and what is to be expected.
const in_svg = (tag, properties = {}, ...children) => {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(properties)) element.setAttribute(name, String(value));
  element.append(...children);
  return element;
};

// About `most` round steps from 0 to a value.
function round_steps(highest, most, least) {
  const rough = Math.max(highest / most, least), ten = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map(factor => factor * ten).find(value => value >= rough * 0.999);
  return Array.from({length: Math.floor(highest / step + 1e-9) + 1}, (_, k) => k * step);
}

function progress_chart(past, stop_at) {
  const width = Math.min(640, innerWidth - 90), height = 260, left = 44, right = 12, top = 12, bottom = 34;
  const now = past.at(-1)[0];
  const highest = Math.max(0.02, ...past.map(point => point[3]));
  const x = value => left + (width - left - right) * value / Math.max(1, now);
  const y = value => height - bottom - (height - top - bottom) * Math.min(value, highest) / highest;
  const line = points => points.map(([a, b]) => `${x(a).toFixed(1)},${y(b).toFixed(1)}`).join(" ");
  const svg = in_svg("svg", {viewBox: `0 0 ${width} ${height}`, role: "img",
    "aria-label": `Guessed share of labels still wrong: ${percent(past[0][2])} to ${percent(past[0][3])} at first, ${percent(past.at(-1)[2])} to ${percent(past.at(-1)[3])} after ${number(now)} decisions`});
  for (const value of round_steps(highest, 5, 0.001))
    svg.append(in_svg("line", {class: "axis-line", x1: left, x2: width - right, y1: y(value), y2: y(value)}),
      in_svg("text", {x: left - 6, y: y(value) + 4, "text-anchor": "end"}, percent(value)));
  for (const count of round_steps(now, 5, 1))
    svg.append(in_svg("text", {x: x(count), y: height - bottom + 16, "text-anchor": x(count) > width - 24 ? "end" : "middle"}, number(count)));
  svg.append(in_svg("text", {x: (left + width) / 2, y: height - 4, "text-anchor": "middle"}, "decisions"));
  svg.append(in_svg("polygon", {class: "band", points: line([...past.map(point => [point[0], point[3]]), ...past.toReversed().map(point => [point[0], point[2]])])}));
  if (stop_at !== null) svg.append(in_svg("line", {class: "stop", x1: left, x2: width - right, y1: y(stop_at), y2: y(stop_at)}),
    in_svg("text", {x: width - right, y: y(stop_at) - 5, "text-anchor": "end"}, "goal"));
  svg.append(in_svg("polyline", {class: "past", points: line(past.map(point => [point[0], point[1]]))}));
  return svg;
}

async function open_progress() {
  if (in_audit()) { await open_audit_progress(); return; }
  const answer = await ask("/api/progress", {});
  show_counts(answer.counts);
  const error = answer.counts.error, stop_at = state.info.stop_at;
  const words = [error.claim ? `Of the ${number(error.on)} current labels, wrong: ${error.claim.text}.` : error.not_claimed];
  if (error.claim?.basis === "guess")
    words.push("A guess is a range learnt from other crowds; an audit (sieve audit) measures it.");
  if (stop_at !== null)
    words.push(error.enough ? `That is enough: the goal was ${percent(stop_at)}.`
      : error.claim?.basis === "audit" ? `The goal of ${percent(stop_at)} is reached once the upper end of the claim is not above it.`
      : `Whether the goal of ${percent(stop_at)} is reached, an audit tells.`);
  by_id("progress-words").textContent = words.join(" ");
  by_id("progress-chart").replaceChildren(...(answer.past.length ? [progress_chart(answer.past, stop_at)] : []));
  by_id("progress-people").replaceChildren(make("h3", {}, "Reviewers"),
    make("ul", {class: "people"}, ...answer.reviewers.map(one => make("li", {}, make("b", {}, one.name), ` ${plural(one.decisions, "decision", "decisions")}`))),
    answer.agreement.share === null ? ""
      : make("p", {}, `Two reviewers who decided the same label agree ${percent(answer.agreement.share)} of the time (${plural(answer.agreement.cells, "label", "labels")}).`));
  by_id("progress").showModal();
}
