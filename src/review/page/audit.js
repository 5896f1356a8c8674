// An audit: blind questions in a random order, and what the answers prove.
const in_audit = () => Boolean(state.info?.audit) || state.lane === "audit";

const figure_names = {wrong: "Wrong labels", precision: "Precision", recall: "Recall", f1: "F1", hamming: "Hamming loss", perfect: "Rows without an error", left: "Labels still wrong"};

function show_audit_counts({audit, audit_of: of}) {
  state.audit_asked = audit.asked;
  show_done(audit.answered + audit.again + audit.settled, audit.asked + audit.twice + audit.conflicts, "questions answered");
  const words = [make("b", {}, audit.pass === 2 ? `${number(audit.again)} of ${number(audit.twice)} asked again`
    : audit.pass === 3 ? `${number(audit.settled)} of ${number(audit.conflicts)} conflicts settled`
    : `${number(audit.answered)} of ${number(audit.asked)} answered`)];
  if (state.info.workspace) words.push(`, of ${audited_labels({audit_of: of})}`);
  if (!audit.claim && !audit.per_label) words.push(" · nothing is proved yet");
  by_id("state").replaceChildren(...words);
  by_id("decided").textContent = audit.pass === 2 ? "asked again" : "answers";
  by_id("claim").textContent = width_words(audit);
}

// Blind: how wide the range is, and not where it lies. It narrows with the root of the decisions.
const next_goals = [60, 120, 240, 480, 960];
function width_words({claim, answered, about: what, per_label}) {
  if (!claim && per_label) return "Each label gets a claim of its own: Progress shows them.";
  if (!claim) return `Nothing yet: decide the first ${what === "perfect" ? "row, label by label" : "label"}.`;
  const width = 100 * (claim.high - claim.low), goal = next_goals.find(one => one > answered * 1.2);
  const now = `${plural(Math.round(width), "point", "points")} wide now.`;
  return goal ? `${now} At ${number(goal)} decisions: about ${number(Math.max(1, Math.round(width * Math.sqrt(answered / goal))))}.` : now;
}

// The range of a claim after each decision.
function path_chart({path, asked, about}) {
  const width = 280, height = 150, left = 38, right = 6, top = 8, bottom = 22;
  const last = path.at(-1), most = Math.max(last[0], Math.min(asked, 2 * last[0]));
  const x = value => left + (width - left - right) * value / most;
  const y = value => height - bottom - (height - top - bottom) * value;
  const line = points => points.map(([a, b]) => `${x(a).toFixed(1)},${y(b).toFixed(1)}`).join(" ");
  const svg = in_svg("svg", {viewBox: `0 0 ${width} ${height}`, role: "img",
    "aria-label": `${figure_names[about]} after ${number(last[0])} decisions: between ${percent(last[2])} and ${percent(last[3])}`});
  for (const value of [0, 0.5, 1])
    svg.append(in_svg("line", {class: "axis-line", x1: left, x2: width - right, y1: y(value), y2: y(value)}),
      in_svg("text", {x: left - 5, y: y(value) + 4, "text-anchor": "end"}, percent(value)));
  svg.append(in_svg("polygon", {class: "band", points: line([...path.map(one => [one[0], one[3]]), ...path.toReversed().map(one => [one[0], one[2]])])}),
    in_svg("polyline", {class: "past", points: line(path.map(one => [one[0], one[1]]))}),
    in_svg("text", {x: x(last[0]), y: height - 6, "text-anchor": "middle"}, plural(last[0], "decision", "decisions")));
  return svg;
}

function show_blind_item(item) {
  by_id("where").textContent = `${row_title(item.id)} · question ${number(item.number)} of ${number(state.audit_asked)}` +
    (item.pass === 2 ? ", asked again" : item.pass === 3 ? ", two answers differ: best for a third person" : "");
  by_id("question").replaceChildren("Is ", make("strong", {}, label_name(item.label)), " right here?");
  show_columns(item);
  show_guideline(item.label);
  scrollTo(0, 0);
  by_id("question").focus({preventScroll: true});
}

// All figures, with the reason where one is missing; and labels, where they were asked one by one.
function claims_table({figures, labels}) {
  const row = (name, text) => make("tr", {}, make("th", {scope: "row"}, name), make("td", {}, text));
  return make("table", {}, make("tbody", {}, ...figures.map(one => row(figure_names[one.about] ?? one.about, (one.fixed ?? one.any_time)?.text ?? `not claimed: ${one.why_none}`)),
    ...(state.counts.audit.per_label ? labels.map(one => row(make("bdi", {}, one.label), one.claim?.text ?? "not claimed: too few decisions")) : [])));
}

async function show_audit_end() {
  const {audit} = await ask("/api/progress", {});
  by_id("done-title").textContent = "All questions are answered";
  by_id("done-words").textContent = state.info.workspace ? "Every answer is saved. Export writes a certificate."
    : "Every answer is saved. End sieve with Ctrl-C to read the claims there, or write a certificate.";
  if (audit) by_id("done-claims").replaceChildren(claims_table(audit));
}

async function open_audit_progress() {
  const answer = await ask("/api/progress", {});
  const state_now = answer.counts.audit;
  by_id("progress-words").textContent = (state.info.workspace ? `About ${audited_labels(answer.counts)}. ` : "") + (state_now.claim ? "Holds at every moment, as these reviewers decide: stop when it is narrow enough. " : "") + `${number(state_now.answered)} of ${number(state_now.asked)} questions are answered; ` +
    `${number(state_now.again)} of ${number(state_now.twice)} were answered again.`;
  by_id("progress-chart").replaceChildren(answer.audit ? claims_table(answer.audit) : "", ...(state_now.path.length > 1 ? [path_chart(state_now)] : []));
  by_id("progress-people").replaceChildren(make("p", {class: "soft"}, !answer.audit || answer.audit.agreement.pairs === 0
    ? "No question was answered twice yet."
    : `Of ${plural(answer.audit.agreement.pairs, "question", "questions")} answered twice, ${number(answer.audit.agreement.same)} got the same answer.`));
  by_id("progress").showModal();
}

// What a blind reviewer must not see is hidden by the class.
function set_lane(lane) {
  state.lane = lane;
  document.body.classList.toggle("blind", in_audit());
  document.title = in_audit() ? `Audit of ${state.info.title}` : `Review of ${state.info.title}`;
  by_id("skip-word").textContent = in_audit() ? "Cannot tell" : "Skip";
  by_id("claim-box").hidden = !in_audit();
  if (in_audit()) by_id("view-box").hidden = true;
}
