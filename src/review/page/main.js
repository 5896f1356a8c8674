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
  const whole = answer === "row";
  const choices = whole ? [...state.row].map(([label, on]) => ({label, answer: on ? "yes" : "no"}))
                        : [{label: item.label, answer}];
  if (looks_back()) state.from = (item.index ?? -1) + 1;
  const reply = await insist("/api/decide", {...asking(), row: item.row, choices,
                                               note: by_id("note").value.trim()});
  clear_note();
  say(whole ? `Saved: ${row_title(item.id)}.` : `Saved: ${answer}, ${label_name(item.label)}.`, false);
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
  set_label(label, true);
  focus_label(label);
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
  begin();
});

function set_reviewer(name) {
  state.reviewer = name;
  localStorage.setItem("sieve-reviewer", name);
  by_id("open-reviewer").textContent = name;
  by_id("open-reviewer").setAttribute("aria-label", `You are ${name}: change`);
  recall_keys();
}

by_id("open-reviewer").addEventListener("click", ask_who);
const begin = () => state.info.audit ? next_item() : route();

async function start() {
  const place = await ask("/api/workspace", {});
  state.data = place.data;
  state.notes = place.notes ?? [];
  if (place.state !== "ready") return set_up(place);
  const info = state.info = await ask("/api/start", {reviewer: localStorage.getItem("sieve-reviewer") ?? ""});
  info.title = place.title ?? info.title;
  by_id("title").textContent = info.title.split("/").at(-1);
  for (const id of ["only-label", "bulk-label"])
    by_id(id).append(...info.labels.map((name, label) => make("option", {value: label}, name)));
  by_id("only-person").append(...info.people.map((name, person) => make("option", {value: person}, name)));
  by_id("person-choice").hidden = info.people.length === 0;
  set_lane("review");
  if (!info.audit) recall_view(false);
  show_counts(info.counts);
  if (!info.reviewer) { ask_who(); return; }
  set_reviewer(info.reviewer);
  await begin();
}
start().catch(error => banner(error.message));
