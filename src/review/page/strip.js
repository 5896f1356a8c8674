// The last decisions, where they can be seen and taken back, and the pace of them.
const kept_decisions = 5, kept_times = 20, first_pace = 5, too_many_against = 5;
const strip = {decisions: [], times: [], against: []};
const sure = 0.99;

// Whether an answer says the opposite of what is almost certain.
function contradicts(item, choice) {
  const known = item.labels?.find(one => one.label === choice.label)?.confidence ?? item.confidence;
  if (known === null || known === undefined) return false;
  return choice.answer === "no" ? known > sure : choice.answer === "yes" && known < 1 - sure;
}

function remember_decision(item, choices, whole) {
  const decision = {row: item.row, id: item.id, label: item.label, whole, answer: choices[0]?.answer,
                    on: choices.filter(one => one.answer === "yes").map(one => one.label)};
  strip.decisions = [decision, ...strip.decisions].slice(0, in_audit() ? 1 : kept_decisions);
  strip.times = [...strip.times, performance.now()].slice(-kept_times - 1);
  if (!in_audit() && decision.answer !== "skip") watch_answers(item, choices, decision);
  show_strip();
}

function watch_answers(item, choices, decision) {
  strip.against = choices.some(choice => contradicts(item, choice)) ? [...strip.against, decision] : [];
  if (strip.against.length === too_many_against) by_id("against").hidden = false;
}

function end_warning() {
  strip.against = [];
  by_id("against").hidden = true;
}

function forget_decision(kind) {
  if (kind !== "bulk") strip.decisions.shift();
  strip.against.pop();
  by_id("against").hidden = true;
  show_strip();
}

function decision_words(one) {
  const names = one.on.length > 2 ? [plural(one.on.length, "label", "labels")] : list_words(one.on.map(name_element));
  if (one.whole) return [make("b", {class: "yes-tag"}, "✓ ", ...(names.length ? names : ["no label"])), ` ${row_title(one.id)}`];
  const [kind, sign] = {yes: ["yes-tag", "✓ "], no: ["no-tag", "✕ "], skip: ["", in_audit() ? "cannot tell " : "skipped "]}[one.answer];
  return [make("b", {class: kind}, sign, name_element(one.label)), ` ${row_title(one.id)}`];
}

// A blind answer is not opened again: undo is the way back to it.
function show_strip() {
  by_id("strip").replaceChildren(...strip.decisions.map(one => make("li", {}, in_audit()
    ? make("span", {class: "past-decision"}, ...decision_words(one))
    : make("button", {type: "button", class: "past-decision", onclick: () => open_row(one)}, ...decision_words(one)))));
  by_id("pace").textContent = pace_words();
}


const duration = seconds => seconds < 90 ? `${Math.max(1, Math.round(seconds))} s`
  : seconds < 5400 ? `${Math.round(seconds / 60)} min` : `${Number((seconds / 3600).toFixed(1))} h`;

// The median of the last decisions; time left only where an end is known.
function pace_words() {
  if (strip.times.length <= first_pace) return ` · ${number(state.done)} of ${number(state.done + (state.left ?? 0))}`;
  const steps = strip.times.slice(1).map((time, k) => (time - strip.times[k]) / 1000).sort((a, b) => a - b);
  const each = steps[Math.floor(steps.length / 2)];
  const left = state.left === null ? "" : ` · ${duration(each * state.left)} left`;
  return ` · ${number(state.done)} of ${number(state.done + (state.left ?? 0))} · ${each < 1 ? "< 1" : Number(each.toFixed(each < 10 ? 1 : 0))} s each${left}`;
}

by_id("see-against").addEventListener("click", () => {
  const first = strip.against[0];
  end_warning();
  if (first) open_row(first);
});
by_id("against-right").addEventListener("click", end_warning);
