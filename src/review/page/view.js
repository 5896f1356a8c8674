// Which rows are shown: kept in the link, so that a reload or another window shows the same.
// Each choice has its name in the link and the value that is left out there.
const view_fields = [
  {id: "search", name: "text", usual: ""},
  {id: "order", name: "order", usual: "gain"},
  {id: "kind", name: "show", usual: "all"},
  {id: "only-label", name: "label", usual: "", names: () => state.info.labels},
  {id: "only-person", name: "annotator", usual: "", names: () => state.info.people},
  {id: "state-choice", name: "decided", usual: "all"},
  {id: "low", name: "from", usual: ""},
  {id: "high", name: "to", usual: ""},
  {id: "unit", name: "unit", usual: "row"},
];
const of_whole_row = () => by_id("unit").value === "row" && !in_audit();

// A share of what was typed as a percentage; nothing where that is no number from 0 to 100.
function typed_share(id) {
  const field = by_id(id);
  return field.value === "" || !field.checkValidity() ? null : Number(field.value) / 100;
}

function view() {
  const order = by_id("order").value, unit = by_id("unit").value;
  return {
    order: order === "gain" && unit === "row" ? "row" : order,
    unit,
    kind: by_id("kind").value,
    state: by_id("state-choice").value,
    text: by_id("search").value.trim() || null,
    low: typed_share("low"),
    high: typed_share("high"),
    only_label: by_id("only-label").value || null,
    only_person: by_id("only-person").value || null,
  };
}

const looks_back = () => ["decided", "noted"].includes(by_id("state-choice").value);
const asking = () => ({...view(), lane: state.lane === "audit" ? "audit" : null, reviewer: state.reviewer, from: state.from});
const view_key = () => `sieve-view ${state.info.title}`;

// The choices that are not the usual ones, by their names.
function chosen() {
  const fields = view_fields.filter(one => by_id(one.id).value !== one.usual);
  return fields.map(one => [one.name, one.names ? one.names()[Number(by_id(one.id).value)] : by_id(one.id).value]);
}

function keep_view() {
  const link = new URLSearchParams(chosen()).toString();
  localStorage.setItem(view_key(), link);
  history.replaceState(null, "", `#review${link && "?" + link}`);
  show_view_words();
}

// Words for each filter, so that none is forgotten while the choices are folded.
function show_view_words() {
  const words = view_fields.filter(one => !["order", "unit"].includes(one.id) && by_id(one.id).value !== one.usual)
    .map(one => one.id === "low" ? `from ${by_id("low").value} %` : one.id === "high" ? `to ${by_id("high").value} %`
      : one.id === "search" ? `“${by_id("search").value}”` : by_id(one.id).selectedOptions[0]?.textContent ?? "");
  by_id("view-words").hidden = words.length === 0;
  by_id("view-words").textContent = words.join(", ");
}

function set_field(one, value) {
  const field = by_id(one.id);
  const wanted = value === null ? one.usual : one.names ? String(one.names().indexOf(value)) : value;
  if (field.options && ![...field.options].some(option => option.value === wanted)) field.value = one.usual;
  else field.value = wanted;
}

const linked_view = () => location.hash.split("?").slice(1).join("?");

// The link counts; without one, what this browser showed last of these data.
function recall_view(keep = true) {
  for (const one of view_fields) if (one.id === "unit") one.usual = state.info.readable ? "row" : "cell";
  const kept = new URLSearchParams(here() === "review" ? linked_view() : localStorage.getItem(view_key()) ?? "");
  for (const one of view_fields) set_field(one, kept.get(one.name));
  if (keep) keep_view();
}

function change_view() {
  state.from = 0;
  keep_view();
  next_item();
}

function open_view(open) {
  by_id("view-box").hidden = !open;
  by_id("open-view").setAttribute("aria-expanded", String(open));
  if (open) by_id("search").focus();
  else by_id("question").focus({preventScroll: true});
}

let typing;  // until nothing was typed for a moment
for (const one of view_fields) {
  const typed = by_id(one.id).tagName === "INPUT";
  by_id(one.id).addEventListener("change", change_view);
  if (typed) by_id(one.id).addEventListener("input", () => { clearTimeout(typing); typing = setTimeout(change_view, 250); });
}
by_id("view-box").addEventListener("keydown", event => {
  if (event.key === "Escape") { event.stopPropagation(); open_view(false); }
});
by_id("clear-view").addEventListener("click", () => {
  for (const one of view_fields) if (!["order", "unit"].includes(one.id)) by_id(one.id).value = one.usual;
  change_view();
});
