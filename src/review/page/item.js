// The card before the reviewer, and how far the review is.
const bare_claim = claim => {
  const [share, ...range] = claim.text.replace(/^(guess|audited) /, "").split(" (");
  return make("span", {class: claim.basis === "audit" ? "claim audited" : "claim"}, make("b", {}, share), range.length ? ` (${range.join(" (")}` : "");
};
// "audited 61 % (42 to 78), 30 decisions"; a narrow screen leaves out the decisions.
function claim_element(claim) {
  const [, basis, range, by] = claim.text.match(/^(guess|audited) (.*?)(, [^,]*)?$/) ?? ["", "", claim.text, ""];
  return make("span", {class: claim.basis === "audit" ? "claim audited" : "claim"}, ...(basis ? [make("span", {class: "basis"}, basis), " "] : []),
    range, by ? make("span", {class: "decided-by"}, by) : null);
}

function show_counts(counts) {
  state.counts = counts;
  if (["review", "audit"].includes(state.screen)) show_lanes();
  if (in_audit()) { show_audit_counts(counts); return; }
  const error = counts.error;
  by_id("decided").replaceChildren(make("b", {}, plural(counts.decisions, "decision", "decisions")));
  if (of_whole_row()) show_done(counts.rows_decided, counts.rows_decided + counts.rows_doubtful, "rows; the others are not in doubt");
  else show_done(counts.decided, counts.cells, "labels decided");
  by_id("state").replaceChildren("labels still wrong: ", error.claim ? claim_element(error.claim) : "not claimed before an audit",
    ...(error.enough ? [" · that is enough"] : error.draw ? [" · ", make("a", {href: "#audit"}, "a few random ones may show that it is enough")] : []));
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

// Why there is no card.
function show_nothing_left() {
  const disputed = by_id("state-choice").value === "disputed", filtered = !by_id("view-words").hidden;
  const [title, words] = disputed ? ["Reviewers agree everywhere.", "No label waits that two reviewers decided in two ways."]
    : filtered && state.total === 0 ? ["No row is like that.", "Change the filter."]
    : ["Nothing left to decide here.", "Every label in this view is decided, or open with another reviewer. Only an audit can tell whether the labels are right."];
  by_id("done-title").textContent = title;
  by_id("done-words").textContent = words;
  by_id("done-claims").replaceChildren();
}

function show_item(item) {
  state.item = item;
  by_id("work").hidden = !item;
  by_id("done").hidden = Boolean(item);
  for (const id of ["add-note", "skip", "no", "yes", "accept"]) by_id(id).hidden = !item;
  if (!item) {
    if (in_audit()) show_audit_end();
    else show_nothing_left();
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

const mark_shown = () => { document.body.dataset.shown = String(performance.now()); };

function show(answer) {
  mark_shown();
  state.total = answer.total ?? state.total;
  if (answer.counts) show_counts(answer.counts);
  if (answer.item !== undefined) show_item(answer.item);
}
