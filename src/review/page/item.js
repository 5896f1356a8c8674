// The card before the reviewer, and how far the review is.
const claim_element = claim => make("span", {class: claim.basis === "audit" ? "claim audited" : "claim"},
  ...claim.text.split(/^(guess|audited) /).filter(Boolean).flatMap((part, k) => k === 0 && part !== claim.text ? [make("span", {class: "basis"}, part), " "] : [part]));

function show_counts(counts) {
  if (in_audit()) { show_audit_counts(counts.audit); return; }
  const error = counts.error;
  by_id("decided").replaceChildren(make("b", {}, plural(counts.decisions, "decision", "decisions")));
  if (of_whole_row()) show_done(counts.rows_decided, counts.rows_decided + counts.rows_doubtful, "rows; the others are not in doubt");
  else show_done(counts.decided, counts.cells, "labels decided");
  by_id("state").replaceChildren("labels still wrong: ", error.claim ? claim_element(error.claim) : "not claimed before an audit",
    ...(error.enough ? [" · that is enough"] : []));
}

// How far it is, as a bar; what is left gives the time left.
function show_done(done, all, what) {
  state.done = done;
  state.left = all - done;
  by_id("done-share").style.width = `${all === 0 ? 100 : 100 * done / all}%`;
  by_id("done-bar").setAttribute("aria-valuenow", String(done));
  by_id("done-bar").setAttribute("aria-valuemax", String(Math.max(1, all)));
  const words = `${number(done)} of ${number(all)} ${what}`;
  by_id("done-bar").setAttribute("aria-valuetext", words);
  by_id("done-bar").title = words;
  by_id("pace").textContent = pace_words();
}

function show_buttons() {
  const whole = of_whole_row() && !in_audit();
  by_id("no").hidden = by_id("yes").hidden = whole;
  by_id("accept").hidden = !whole;
  by_id("unit-word").textContent = of_whole_row() ? "One label" : "Whole row";
}

function show_item(item) {
  state.item = item;
  by_id("work").hidden = !item;
  by_id("done").hidden = Boolean(item);
  for (const id of ["add-note", "skip", "no", "yes", "accept"]) by_id(id).hidden = !item;
  if (!item) {
    if (in_audit()) show_audit_end();
    by_id("done-title").focus();
    return;
  }
  show_buttons();
  if (in_audit()) { show_blind_item(item); return; }
  state.row = new Map(item.labels.map(one => [one.label, machine_says(one)]));
  state.touched = new Set();
  by_id("where").textContent = row_title(item.id) + (item.index === null ? "" : ` · number ${number(item.index + 1)} of ${number(state.total)}`);
  by_id("annotators").textContent = item.people.length ? plural(item.people.length, "annotator", "annotators") : "";
  if (of_whole_row()) row_question(item);
  else cell_question(item);
  show_labels(item);
  show_evidence(item);
  scrollTo(0, 0);
  by_id("question").focus({preventScroll: true});
}

function show(answer) {
  document.body.dataset.shown = String(performance.now());
  state.total = answer.total ?? state.total;
  if (answer.counts) show_counts(answer.counts);
  if (answer.item !== undefined) show_item(answer.item);
}
