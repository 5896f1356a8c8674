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

function progress_chart(past, ahead, stop_at) {
  const width = Math.min(640, innerWidth - 90), height = 260, left = 44, right = 12, top = 12, bottom = 34;
  const now = past.at(-1)[0];
  const horizon = now + Math.max(50, now, ahead.find(point => stop_at !== null && point[1] <= stop_at)?.[0] ?? 0);
  const future = ahead.map(([more, share]) => [now + more, share]).filter(point => point[0] <= horizon);
  const highest = Math.max(0.02, ...past.map(point => Math.min(point[3], 2 * point[1] + 0.02)), ...future.map(point => point[1]));
  const x = value => left + (width - left - right) * value / Math.max(1, horizon);
  const y = value => height - bottom - (height - top - bottom) * Math.min(value, highest) / highest;
  const line = points => points.map(([a, b]) => `${x(a).toFixed(1)},${y(b).toFixed(1)}`).join(" ");
  const svg = in_svg("svg", {viewBox: `0 0 ${width} ${height}`, role: "img",
    "aria-label": `Share of labels still wrong: ${percent(past[0][1])} at first, ${percent(past.at(-1)[1])} after ${number(now)} decisions, about ${percent(future.at(-1)[1])} after ${number(future.at(-1)[0])}`});
  for (const value of round_steps(highest, 5, 0.001))
    svg.append(in_svg("line", {class: "axis-line", x1: left, x2: width - right, y1: y(value), y2: y(value)}),
      in_svg("text", {x: left - 6, y: y(value) + 4, "text-anchor": "end"}, percent(value)));
  for (const count of round_steps(horizon, 5, 1))
    svg.append(in_svg("text", {x: x(count), y: height - bottom + 16, "text-anchor": x(count) > width - 24 ? "end" : "middle"}, number(count)));
  svg.append(in_svg("text", {x: (left + width) / 2, y: height - 4, "text-anchor": "middle"}, "decisions"));
  svg.append(in_svg("polygon", {class: "band", points: line([...past.map(point => [point[0], point[3]]), ...past.toReversed().map(point => [point[0], point[2]])])}));
  if (stop_at !== null) svg.append(in_svg("line", {class: "stop", x1: left, x2: width - right, y1: y(stop_at), y2: y(stop_at)}),
    in_svg("text", {x: width - right, y: y(stop_at) - 5, "text-anchor": "end"}, "goal"));
  svg.append(in_svg("polyline", {class: "ahead", points: line(future)}),
             in_svg("polyline", {class: "past", points: line(past.map(point => [point[0], point[1]]))}));
  const last = future.at(-1);
  svg.append(in_svg("text", {x: x(last[0]), y: y(last[1]) - 7, "text-anchor": "end"}, "expected"));
  return svg;
}

async function open_progress() {
  const answer = await ask("/api/progress", {});
  show_counts(answer.counts);
  const error = answer.counts.error, stop_at = state.info.stop_at;
  const words = [`About ${percent(error.share.value)} of the ${number(error.on)} current labels are still wrong, ` +
    `nine times out of ten between ${percent(error.share.low)} and ${percent(error.share.high)}.`];
  const more = answer.ahead.find(point => point[0] >= 40);
  if (more) words.push(`After ${number(more[0])} more decisions, about ${percent(more[1])}.`);
  if (error.missing >= 0.5) words.push(`About ${number(Math.round(error.missing))} labels are missing.`);
  if (stop_at !== null)
    words.push(error.enough ? `That is enough: the goal was ${percent(stop_at)}.`
      : error.to_go === null ? `The goal of ${percent(stop_at)} is out of reach in one pass.`
      : `The goal of ${percent(stop_at)} is about ${plural(error.to_go, "decision", "decisions")} away.`);
  by_id("progress-words").textContent = words.join(" ");
  by_id("progress-chart").replaceChildren(progress_chart(answer.past, answer.ahead, stop_at));
  by_id("progress-people").replaceChildren(make("h3", {}, "Reviewers"),
    make("ul", {class: "people"}, ...answer.reviewers.map(one => make("li", {}, make("b", {}, one.name), ` ${plural(one.decisions, "decision", "decisions")}`))),
    answer.agreement.share === null ? ""
      : make("p", {}, `Two reviewers who decided the same label agree ${percent(answer.agreement.share)} of the time (${plural(answer.agreement.cells, "label", "labels")}).`));
  by_id("progress").showModal();
}
