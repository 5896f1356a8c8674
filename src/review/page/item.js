// The row before the reviewer.
const label_name = label => state.info.labels[label];

function show_counts(counts) {
  if (counts.audit) { show_audit_counts(counts.audit); return; }
  const error = counts.error;
  show_done(counts.decided, counts.cells);
  const words = [make("b", {}, plural(counts.decisions, "decision", "decisions")),
                 error.claim ? ` · labels still wrong: ${error.claim.text}` : " · labels still wrong: not claimed before an audit"];
  if (error.enough) words.push(" · that is enough");
  by_id("state").replaceChildren(...words);
}

// How far it is, as a bar; what is left gives the time left.
function show_done(done, all, what = "labels decided") {
  state.left = all - done;
  by_id("done-share").style.width = `${all === 0 ? 100 : 100 * done / all}%`;
  by_id("done-bar").setAttribute("aria-valuenow", String(done));
  by_id("done-bar").setAttribute("aria-valuemax", String(Math.max(1, all)));
  const words = `${number(done)} of ${number(all)} ${what}`;
  by_id("done-bar").setAttribute("aria-valuetext", words);
  by_id("done-bar").title = words;
}

function answer_tag(one) {
  if (one.answer === "yes") return make("span", {class: "tag yes-tag"}, "decided: yes");
  if (one.answer === "no") return make("span", {class: "tag no-tag"}, "decided: no");
  return make("span", {class: "tag open-tag"}, one.ticked ? "ticked, not decided" : "not ticked, not decided");
}

const of_whole_row = () => by_id("unit").value === "row";

// Of a whole row no label is the one that words speak for.
function marked_text(pieces) {
  const text = make("p", {class: "text"});
  for (const [piece, weight] of pieces) {
    if (weight === 0 || of_whole_row()) { text.append(piece); continue; }
    const size = Math.abs(weight), strength = size > 2 ? 3 : size > 1 ? 2 : 1;
    text.append(make("mark", {class: `${weight > 0 ? "for" : "against"} w${strength}`}, piece));
  }
  return text;
}

function show_column(column) {
  const box = make("div", {}, make("h2", {}, column.name));
  const [row, place] = (column.image ?? column.audio ?? "").split("/");
  const link = `/media?row=${row}&column=${place}&token=${encodeURIComponent(token)}`;
  if (column.image) box.append(make("img", {src: link, alt: column.file}));
  else if (column.audio) box.append(make("audio", {src: link, controls: true, "aria-label": column.file}));
  else box.append(marked_text(column.pieces));
  if (column.cut) box.append(make("p", {class: "soft"}, "… the rest is left out"));
  return box;
}

function show_features(features) {
  const short = value => Number(value.toPrecision(3)).toString();
  const rows = features.map(one => make("tr", {}, make("th", {scope: "row"}, one.name),
    make("td", {}, short(one.value)),
    ...(in_audit() ? [] : [make("td", {}, short(one.usual)),
      make("td", {class: one.weight > 0 ? "speaks-for" : "speaks-against"},
           one.weight > 0 ? "for it" : "against it")])));
  return make("table", {},
    make("thead", {}, make("tr", {}, ...(in_audit() ? ["Feature", "here"] : ["Feature", "here", "usually", "speaks"]).map(name => make("th", {scope: "col"}, name)))),
    make("tbody", {}, ...rows));
}

function show_labels(item) {
  const row_mode = of_whole_row();
  by_id("labels").replaceChildren(...item.labels.map((one, place) => {
    const key = place < 9 ? make("kbd", {"aria-hidden": "true"}, String(place + 1)) : null;
    const name = make("bdi", {}, label_name(one.label));
    const sure = one.confidence === null ? null : make("small", {}, percent(one.confidence));
    if (row_mode)
      return make("button", {type: "button", role: "checkbox", "aria-checked": String(state.row.get(one.label)),
        onclick: () => choose_label(place)}, key, name, sure);
    return make("button", {type: "button", class: one.answer ? `is-${one.answer}` : "",
      "aria-current": one.label === item.label ? "true" : undefined,
      onclick: () => choose_label(place)}, key, name, sure);
  }));
}

// Who ticked it first, the most reliable on top; those who did not are folded when they are many.
const folded_from = 4;

const annotator_line = one => make("li", {},
  make("b", {}, one.name), one.ticked ? " ticked it" : one.unsure ? " was unsure" : " did not tick it",
  one.agreement === undefined ? null : make("small", {},
    one.guesses ? "seems to guess" : `agrees with the others in ${percent(one.agreement)}`));

function show_people(item) {
  by_id("people-box").hidden = item.people.length === 0;
  const people = item.people.toSorted((a, b) => (b.agreement ?? 0) - (a.agreement ?? 0));
  const ticked = people.filter(one => one.ticked), others = people.filter(one => !one.ticked);
  const fold = others.length >= folded_from;
  by_id("people").replaceChildren(...[...ticked, ...(fold ? [] : others)].map(annotator_line));
  by_id("other-people").hidden = !fold;
  by_id("other-people-words").textContent = `${number(others.length)} did not`;
  by_id("other-people-list").replaceChildren(...(fold ? others.map(annotator_line) : []));
}

function row_line(one, with_label) {
  return make("li", {}, make("b", {}, with_label ? label_name(one.label) : row_title(one.id)), " ", answer_tag(one),
    one.text ? make("span", {class: "text-line"}, one.text) : null,
    make("small", {}, (with_label ? `${row_title(one.id)}, ` : "") +
      (one.confidence === null ? "probability not known" : `probability ${percent(one.confidence)}`)));
}

function show_content(item) {
  by_id("content").replaceChildren(...item.texts.map(show_column),
    ...(item.features.length ? [show_features(item.features)] : []));
  by_id("legend").hidden = of_whole_row() || !item.texts.some(column => column.pieces?.some(piece => piece[1] !== 0));
  by_id("legend-by").textContent = item.marked === "model" ? "as the model reads it" : "by how often it goes with the label";
  if (item.marked === "later") wait_for_marks(item);
}

// The model is asked beside the way: the text is there at once, the marks a moment later.
async function wait_for_marks(item) {
  for (let pause = 60; state.item === item && pause < 20000; pause *= 2) {
    await wait(pause);
    if (state.item !== item) return;
    const {texts, marked} = await ask("/api/texts", {row: item.row, label: item.label});
    if (marked === "later" || state.item !== item) continue;
    Object.assign(item, {texts, marked});
    show_content(item);
    return;
  }
}

function show_item(item) {
  state.item = item;
  by_id("work").hidden = by_id("bar").hidden = !item;
  by_id("done").hidden = Boolean(item);
  if (!item) {
    if (in_audit()) show_audit_end();
    by_id("done-title").focus();
    return;
  }
  if (in_audit()) { show_blind_item(item); return; }
  const row_mode = of_whole_row();
  by_id("no").hidden = row_mode;
  by_id("yes-word").textContent = row_mode ? "Save" : "Yes";
  if (row_mode)
    state.row = new Map(item.labels.map(one => [one.label,
      one.answer ? one.answer === "yes" : one.confidence === null ? one.ticked : one.confidence >= 0.5]));
  by_id("where").textContent = row_title(item.id) + (item.index === null ? "" : ` · number ${number(item.index + 1)} of ${number(state.total)} in this view`);
  const name = make("strong", {}, label_name(item.label));
  by_id("question").replaceChildren(...(row_mode ? ["Which labels are right?"]
    : item.ticked ? ["Is ", name, " right here?"] : ["Is ", name, " missing here?"]));
  const ticks = item.people.filter(one => one.ticked).length, votes = item.people.filter(one => !one.unsure).length;
  by_id("facts").textContent = row_mode ? "Switch labels on or off, then save; / adds any other."
    : [item.people.length ? `ticked by ${ticks} of ${votes}` : item.ticked ? "ticked" : "ticked by nobody",
       item.confidence === null ? "probability not known" : `probability ${percent(item.confidence)}`,
      ].filter(Boolean).join(" · ");
  show_labels(item);
  show_content(item);
  show_people(item);
  by_id("similar-box").hidden = item.similar.length === 0;
  by_id("similar").replaceChildren(...item.similar.map(one => row_line(one, false)));
  by_id("verdicts").replaceChildren(...item.verdicts.map(one => make("p", {},
    make("b", {}, one.reviewer), ` said ${one.answer}`, one.rule ? ` (rule: ${one.rule})` : "",
    one.note ? `: ${one.note}` : "", ` · ${one.made.replace("T", " ").replace("Z", " UTC")}`)));
  scrollTo(0, 0);
  by_id("question").focus({preventScroll: true});
}

function show(answer) {
  document.body.dataset.shown = String(performance.now());
  if (answer.counts) show_counts(answer.counts);
  state.total = answer.total ?? state.total;
  if (answer.item !== undefined) show_item(answer.item);
}
