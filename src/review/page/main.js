// The way from one item to the next.
async function working(work) {
  if (state.busy) return;
  set_busy(true);
  try { await work(); } catch (error) { banner(error.message); } finally { set_busy(false); }
  if (state.again) next_item();
}

function set_busy(busy) {
  state.busy = busy;
  document.body.dataset.busy = String(busy);
}

// A view that is chosen while the page still works is shown after it, never forgotten.
function next_item() {
  state.again = state.busy;
  return working(async () => show(await ask("/api/next", asking())));
}

async function go_to(index) {
  if (index < 0) return;
  await working(async () => {
    const answer = await ask("/api/at", {...asking(), index});
    if (!answer.item) return;
    state.from = index;
    show(answer);
  });
}

function clear_note() {
  by_id("note").value = "";
  open_note(false);
}

function open_note(open) {
  by_id("note-box").hidden = !open;
  by_id("add-note").setAttribute("aria-expanded", String(open));
  if (open) by_id("note").focus();
}

const decide = answer => working(async () => {
  const item = state.item;
  if (!item) return;
  const whole = of_whole_row() && answer !== "skip";
  if (whole && answer === "no") return;
  const choices = whole ? [...state.row].map(([label, on]) => ({label, answer: on ? "yes" : "no"}))
                        : [{label: item.label, answer}];
  const reply = await insist("/api/decide", {...asking(), row: item.row, choices,
                                               note: by_id("note").value.trim()});
  clear_note();
  say(whole ? `Saved: ${row_title(item.id)}.` : `Saved: ${answer}, ${label_name(item.label)}.`);
  remember_decision(item, choices, whole);
  show(reply);
});

const undo = () => working(async () => {
  const reply = await insist("/api/undo", asking());
  if (!reply.undone) { say("There is nothing to undo."); return; }
  forget_decision(reply.undone.kind);
  show(reply);
  by_id("note").value = reply.undone.kind === "bulk" ? "" : reply.undone.note;
  say(reply.undone.kind === "bulk" ? `Undone: ${plural(reply.undone.cells, "label", "labels")} at once.` : "Undone.");
});

// In a row, a label is switched; else it becomes the question.
function choose_label(place) {
  const one = state.item?.labels[place];
  if (!one) return;
  if (of_whole_row()) {
    state.row.set(one.label, !state.row.get(one.label));
    show_labels(state.item);
    say(`${label_name(one.label)}: ${state.row.get(one.label) ? "on" : "off"}`);
    by_id("labels").children[place].focus();
  } else ask_about(one.label);
}

const ask_about = label => working(async () =>
  show(await ask("/api/item", {...asking(), row: state.item.row, label})));

// ---- any label, by some of its letters

const picking = {found: [], active: 0};

function show_picks() {
  const letters = by_id("pick-text").value.trim().toLowerCase();
  const starts = [], holds = [];
  state.info.labels.forEach((name, label) => {
    const at = name.toLowerCase().indexOf(letters);
    if (at === 0) starts.push(label);
    else if (at > 0) holds.push(label);
  });
  picking.found = [...starts, ...holds].slice(0, 50);
  picking.active = Math.max(0, Math.min(picking.active, picking.found.length - 1));
  by_id("pick-list").replaceChildren(...picking.found.map((label, place) =>
    make("li", {role: "option", id: `pick-${place}`, "aria-selected": String(place === picking.active),
      onclick: () => pick(place)}, label_name(label))));
  if (picking.found.length) by_id("pick-text").setAttribute("aria-activedescendant", `pick-${picking.active}`);
  else by_id("pick-text").removeAttribute("aria-activedescendant");
  document.getElementById(`pick-${picking.active}`)?.scrollIntoView({block: "nearest"});
}

function pick(place) {
  const label = picking.found[place];
  by_id("pick").close();
  if (label === undefined || !state.item) return;
  if (!of_whole_row()) { ask_about(label); return; }
  if (!state.item.labels.some(one => one.label === label))
    state.item.labels.push({label, ticked: false, confidence: null, answer: null});
  state.row.set(label, true);
  show_labels(state.item);
}

function open_pick() {
  if (!state.item) return;
  by_id("pick-text").value = "";
  picking.active = 0;
  by_id("pick").showModal();
  show_picks();
  by_id("pick-text").focus();
}

by_id("pick-text").addEventListener("input", () => { picking.active = 0; show_picks(); });
by_id("pick-text").addEventListener("keydown", event => {
  if (event.key === "ArrowDown") picking.active += 1;
  else if (event.key === "ArrowUp") picking.active -= 1;
  else if (event.key === "Enter") { event.preventDefault(); pick(picking.active); return; }
  else return;
  event.preventDefault();
  show_picks();
});

// ---- who

function ask_who() {
  by_id("who-name").value = state.reviewer;
  by_id("who").showModal();
}

by_id("who").addEventListener("cancel", event => { if (!state.reviewer) event.preventDefault(); });
by_id("who-form").addEventListener("submit", event => {
  event.preventDefault();
  const name = by_id("who-name").value.trim();
  if (!name) return;
  set_reviewer(name);
  by_id("who").close();
  next_item();
});

function set_reviewer(name) {
  state.reviewer = name;
  localStorage.setItem("sieve-reviewer", name);
  by_id("open-reviewer").textContent = name;
  by_id("open-reviewer").setAttribute("aria-label", `You are ${name}: change`);
  recall_keys();
}

by_id("open-reviewer").addEventListener("click", ask_who);
for (const id of ["order", "kind", "only-label", "only-person"])
  by_id(id).addEventListener("change", () => { state.from = 0; keep_view(); next_item(); });
by_id("unit").addEventListener("change", () => { keep_view(); if (state.item) show_item(state.item); });

// The view outlives a reload, for this data alone.
const view_choices = ["order", "kind", "only-label", "only-person", "unit"];
const view_key = () => `sieve-view ${state.info.title}`;
function keep_view() {
  localStorage.setItem(view_key(), JSON.stringify(view_choices.map(id => by_id(id).value)));
}
function recall_view() {
  const kept = recall(view_key());
  if (!Array.isArray(kept) || kept.length !== view_choices.length) return;
  view_choices.forEach((id, place) => {
    if ([...by_id(id).options].some(option => option.value === kept[place])) by_id(id).value = kept[place];
  });
}

async function start() {
  const info = state.info = await ask("/api/start", {reviewer: localStorage.getItem("sieve-reviewer") ?? ""});
  document.title = `Review of ${info.title}`;
  by_id("title").textContent = info.title.split("/").at(-1);
  for (const id of ["only-label", "bulk-label"])
    by_id(id).append(...info.labels.map((name, label) => make("option", {value: label}, name)));
  by_id("only-person").append(...info.people.map((name, person) => make("option", {value: person}, name)));
  by_id("person-choice").hidden = info.people.length === 0;
  if (info.audit) begin_audit(info);
  else recall_view();
  show_counts(info.counts);
  if (!info.reviewer) { ask_who(); return; }
  set_reviewer(info.reviewer);
  await next_item();
}

// On a narrow screen the row comes first.
if (matchMedia("(max-width: 40rem)").matches) by_id("view-box").open = false;
start().catch(error => banner(error.message));
