// The labels of a row: in graphite what the machine thinks, in ink what a person decided.
const label_name = label => state.info.labels[label];
const label_key = label => { const place = state.info.numbered.indexOf(label); return place < 0 ? "" : String(place + 1); };
const most_rows = 12, most_dots = 16;

const sure_from = 0.99;
// Nobody needs to look: folded, and accepted with the row.
const is_sure = one => !one.answer && one.confidence !== null && Math.max(one.confidence, 1 - one.confidence) >= sure_from;
const is_doubtful = one => !one.answer && one.confidence !== null && one.confidence >= 0.1 && one.confidence <= 0.9;
// In doubt first, then in the order of the keys.
const in_order = labels => [...labels.filter(is_doubtful), ...labels.filter(one => !is_doubtful(one))];
const machine_says = one => one.answer ? one.answer === "yes" : one.confidence === null ? one.ticked : one.confidence >= 0.5;

const list_words = (words, last = "and") => words.length < 2 ? words : [...words.slice(0, -1).flatMap((word, k) => k ? [", ", word] : [word]), ` ${last} `, words.at(-1)];
// A long name may break behind its underscores.
const name_element = label => make("bdi", {}, ...label_name(label).split(/(?<=_)/).flatMap((part, k) => k ? [document.createElement("wbr"), part] : [part]));

function label_box(one) {
  const whole = of_whole_row(), by_person = whole ? state.touched.has(one.label) || one.answer : one.answer;
  const on = whole ? state.row.get(one.label) : one.answer ? one.answer === "yes" : machine_says(one);
  const kind = on ? (by_person ? "ink" : "on") : by_person ? "no" : "off";
  return make("span", {class: `box ${kind}`, "aria-hidden": "true"}, on ? "✓" : by_person ? "✕" : "");
}

function vote_dots(ticks, annotators) {
  if (ticks === null || ticks === undefined || !annotators) return make("span", {class: "dots"});
  const words = make("em", {}, `${number(ticks)} of ${number(annotators)}`);
  if (annotators > most_dots) {
    const bar = make("s", {class: "share"});
    bar.style.setProperty("--w", 100 * ticks / annotators);
    return make("span", {class: "dots"}, bar, words);
  }
  return make("span", {class: "dots"}, ...Array.from({length: annotators}, (_, k) => make("i", {class: k < ticks ? "y" : ""})), words);
}

function probability_bar(one) {
  if (one.confidence === null) return make("span", {class: "p"});
  const bar = make("s", {class: "share"});
  bar.style.setProperty("--w", 100 * one.confidence);
  return make("span", {class: "p"}, bar, make("span", {}, percent(one.confidence)));
}

function label_row(item, one) {
  const whole = of_whole_row(), key = label_key(one.label);
  const here = one.label === item.label;
  return make("button", {type: "button", "data-label": one.label,
      class: `lab ${is_doubtful(one) ? "unsure" : "clear"}${here ? " here" : ""}`,
      ...(whole ? {role: "checkbox", "aria-checked": String(state.row.get(one.label))} : {"aria-current": here ? "true" : undefined}),
      onclick: () => choose_label(one.label)},
    make("kbd", {class: "k", "aria-hidden": "true"}, key), label_box(one), make("bdi", {class: "n"}, label_name(one.label)),
    vote_dots(one.ticks, item.people.length), probability_bar(one));
}

// What a fold holds, with the names of the labels that are on.
function fold_words(labels) {
  const on = labels.filter(one => state.row.get(one.label)).map(one => name_element(one.label)), off = labels.length - on.length;
  const names = on.length > 3 ? [plural(on.length, "label", "labels")] : list_words(on);
  return [`${number(labels.length)} clear: `, ...(on.length ? [...names, " on"] : []), on.length && off ? ", " : "", off ? `${number(off)} off` : ""];
}

// Of whole rows, labels that are sure are folded; where there are many, so are all clear ones.
function show_labels(item) {
  const labels = in_order(item.labels), open = by_id("clear-labels")?.open ?? false;
  const folds = labels.length > most_rows ? one => !is_doubtful(one) : one => of_whole_row() && is_sure(one);
  const clear = labels.filter(one => folds(one) && one.label !== item.label && !state.touched.has(one.label));
  const fold = clear.length > (labels.length > most_rows ? 3 : 1);
  const shown = fold ? labels.filter(one => !clear.includes(one)) : labels;
  const rows = shown.map(one => label_row(item, one));
  if (fold) rows.push(make("details", {id: "clear-labels", open}, make("summary", {}, ...fold_words(clear)),
    ...clear.map(one => label_row(item, one))));
  by_id("labels").replaceChildren(...rows);
  const unticked = state.info.labels.length - item.labels.length;
  by_id("unticked").textContent = unticked > 0 ? `${plural(unticked, "label", "labels")} nobody ticked.` : "";
  if (of_whole_row()) show_accept(item);
}

const label_button = label => by_id("labels").querySelector(`[data-label="${label}"]`);

// The button says what it saves.
function show_accept(item) {
  const on = item.labels.filter(one => state.row.get(one.label)).map(one => one.label);
  by_id("accept-words").replaceChildren("Accept ", ...(on.length === 0 ? ["no label"]
    : on.length > 2 ? [`${number(on.length)} labels`] : list_words(on.map(name_element))));
}

function row_question(item) {
  const doubtful = item.labels.filter(is_doubtful), others = state.info.labels.length - doubtful.length;
  const names = doubtful.slice(0, 3).map(one => make("strong", {}, label_name(one.label)));
  if (doubtful.length > 3) names.push(`${number(doubtful.length - 3)} more`);
  by_id("question").replaceChildren(...(doubtful.length ? ["Check ", ...list_words(names), "."] : ["No label is in doubt here."]));
  by_id("facts").textContent = doubtful.length === 0 ? "Accept them as they stand, or change them."
    : others > 0 ? `The other ${plural(others, "label is", "labels are")} clear.` : "";
}

function cell_question(item) {
  const name = make("strong", {}, label_name(item.label));
  by_id("question").replaceChildren(...(item.ticked ? ["Is ", name, " right here?"] : ["Is ", name, " missing here?"]));
  const ticks = item.people.filter(one => one.ticked).length, votes = item.people.filter(one => !one.unsure).length;
  by_id("facts").textContent = [item.people.length ? `ticked by ${ticks} of ${votes}` : item.ticked ? "ticked" : "ticked by nobody",
    item.confidence === null ? "probability not known" : `probability ${percent(item.confidence)}`].join(" · ");
}

// ---- choosing

// In a row, a label is switched; else it becomes the question.
function choose_label(label) {
  if (!state.item || label === undefined) return;
  if (!of_whole_row()) { ask_about(label); return; }
  set_label(label, !state.row.get(label));
  focus_label(label);
}

function set_label(label, on) {
  if (!state.item.labels.some(one => one.label === label))
    state.item.labels.push({label, ticked: false, ticks: state.item.people.length ? 0 : null, confidence: null, answer: null});
  state.row.set(label, on);
  state.touched.add(label);
  say(`${label_name(label)}: ${on ? "on" : "off"}`, false);
}

// "Yes" and "no" of one label in a row, and on to the next one that is in doubt.
function mark_label(on) {
  const item = state.item, order = in_order(item.labels).map(one => one.label);
  set_label(item.label, on);
  const next = order.slice(order.indexOf(item.label) + 1)
    .find(label => is_doubtful(item.labels.find(one => one.label === label)) && !state.touched.has(label));
  focus_label(next ?? item.label);
}

function move_label(step) {
  const item = state.item;
  if (!item || in_audit()) return;
  const order = in_order(item.labels).map(one => one.label);
  const label = order[Math.max(0, Math.min(order.length - 1, order.indexOf(item.label) + step))];
  if (of_whole_row()) focus_label(label);
  else if (label !== item.label) ask_about(label);
}

// The evidence beside a row is about one of its labels.
function focus_label(label) {
  const item = state.item, same = item.label === label;
  item.label = label;
  show_labels(item);
  if (label_button(label)?.closest("details")) by_id("clear-labels").open = true;
  label_button(label)?.focus({preventScroll: false});
  show_guideline(label);
  if (!same) load_evidence(item, label);
}

async function load_evidence(item, label) {
  try {
    const found = (await ask("/api/item", {...asking(), row: item.row, label})).item;
    if (state.item !== item || item.label !== label) return;
    const {texts, marked, people, similar, verdicts, ticked, confidence} = found;
    Object.assign(item, {texts, marked, people, similar, verdicts, ticked, confidence});
    show_evidence(item);
  } catch (error) { banner(error.message); }
}

const ask_about = label => working(async () =>
  show(await ask("/api/item", {...asking(), row: state.item.row, label})));
