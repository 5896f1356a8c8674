// Keys that make one decision per press, and can be changed or switched off.
const soon = 200;  // ms: nobody has read a card so quickly

// The same row, by the label that is before the reviewer.
const switch_unit = () => {
  by_id("unit").value = of_whole_row() ? "cell" : "row";
  state.from = 0;
  keep_view();
  if (state.item) ask_about(state.item.label);
  else next_item();
};
const answer_one = on => of_whole_row() && !in_audit() ? mark_label(on) : decide(on ? "yes" : "no");
const play_keys = [" ", ",", "."];

// What a key does. `decides`: never by a key that is held, or on a card that just came.
const actions = [
  {id: "yes", key: "y", words: "the label is right", run: () => answer_one(true), decides: true, audit: true},
  {id: "no", key: "n", words: "it is not right", run: () => answer_one(false), decides: true, audit: true},
  {id: "skip", key: "s", words: "skip: somebody else may decide", run: () => decide("skip"), decides: true, audit: true},
  {id: "undo", key: "u", words: "undo, as often as you like", run: () => undo(), audit: true},
  {id: "pick-label", key: "/", words: "any label: type a few letters of its name", run: () => open_pick()},
  {id: "add-note", key: "m", words: "a note to go with the decision", run: () => open_note(by_id("note-box").hidden), audit: true},
  {id: "see-guideline", key: "g", words: "the guideline of the label", run: () => see_guideline(), audit: true},
  {id: "switch-unit", key: "o", words: "one label, or all labels of a row", run: switch_unit},
  {id: "open-view", key: "f", words: "filter and search", run: () => open_view(by_id("view-box").hidden)},
  {id: "zoom-in", key: "z", words: "a picture in its full size", run: () => open_zoom()},
  {id: "open-queue", key: "l", words: "the queue as a list", run: () => open_queue()},
  {id: "open-bulk", key: "b", words: "sweep: decide many by a threshold", run: () => open_bulk()},
  {id: "open-progress", key: "p", words: "progress so far", run: () => open_progress(), audit: true},
  {id: "open-keys", key: "?", words: "these keys", run: () => open_keys(), audit: true},
];

// Of this reviewer: keys of their own, and whether single characters count at all.
const own = {keys: {}, single: true, changing: null};
const key_of = action => own.keys[action.id] ?? action.key;
const own_key = () => `sieve-keys ${state.reviewer}`;

function recall_keys() {
  const kept = recall(own_key()) ?? {};
  own.keys = Object.fromEntries(actions.map(one => [one.id, kept.keys?.[one.id]])
    .filter(([, key]) => typeof key === "string" && key.length === 1));
  own.single = kept.single !== false;
  show_keys();
}

function keep_keys() {
  localStorage.setItem(own_key(), JSON.stringify({keys: own.keys, single: own.single}));
  show_keys();
}

const key_hint = id => make("kbd", {}, key_of(actions.find(one => one.id === id)));

function show_keys() {
  document.body.classList.toggle("no-keys", !own.single);
  by_id("single-keys").checked = own.single;
  for (const action of actions)
    for (const id of [action.id, `check-${action.id}`]) {
      const hint = by_id(id)?.querySelector("kbd");
      if (hint) hint.textContent = key_of(action);
    }
  by_id("key-list").replaceChildren(...actions.map(action => make("div", {},
    make("dt", {}, make("button", {type: "button", class: "key", "aria-label": `Change the key ${key_of(action)}: ${action.words}`,
      onclick: () => change_key(action)}, own.changing === action ? "press a key" : key_of(action))),
    make("dd", {}, action.words))));
}

function change_key(action) {
  own.changing = action;
  by_id("keys-said").textContent = "Press the new key, or Escape.";
  show_keys();
  by_id("key-list").children[actions.indexOf(action)].querySelector("button").focus();
}

// A key has one meaning: one that is taken is not given away.
function take_key(event) {
  const action = own.changing, key = event.key.toLowerCase();
  event.preventDefault();
  event.stopPropagation();
  if (event.repeat || ["shift", "control", "alt", "altgraph", "meta"].includes(key)) return;
  own.changing = null;
  const other = actions.find(one => one !== action && key_of(one) === key);
  if (key === "escape") by_id("keys-said").textContent = "";
  else if (key.length !== 1 || play_keys.includes(key) || /[1-9]/.test(key)) by_id("keys-said").textContent = "Only letters and signs can be chosen.";
  else if (other) by_id("keys-said").textContent = `${key} is taken: ${other.words}.`;
  else {
    own.keys[action.id] = key;
    keep_keys();
    by_id("keys-said").textContent = `${key} now means: ${action.words}.`;
  }
  show_keys();
  by_id("key-list").children[actions.indexOf(action)].querySelector("button").focus();
}

function open_keys() {
  by_id("keys-said").textContent = "";
  show_keys();
  by_id("keys").showModal();
}

by_id("keys").addEventListener("keydown", event => { if (own.changing) take_key(event); });
by_id("keys").addEventListener("cancel", event => { if (own.changing) event.preventDefault(); });
by_id("single-keys").addEventListener("change", () => { own.single = by_id("single-keys").checked; keep_keys(); });
by_id("usual-keys").addEventListener("click", () => {
  own.keys = {};
  keep_keys();
  by_id("keys-said").textContent = "The usual keys count again.";
});

// ---- one press, one decision

const just_shown = () => performance.now() - Number(document.body.dataset.shown ?? 0) < soon;

function run_by_key(action, event, tell = say) {
  if (event.repeat) return;
  if (action.decides && (state.busy || just_shown())) tell("Too fast, not counted.");
  else action.run();
}

document.addEventListener("keydown", event => {
  if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
  const target = event.target;
  if (target === by_id("note")) {
    if (event.key === "Enter" || event.key === "Escape") {
      event.preventDefault();
      by_id("question").focus();
    }
    return;
  }
  if (target.matches("input, textarea, select, audio, a, summary") || !by_id("screen").hidden) return;
  const arrow = {ArrowLeft: -1, ArrowRight: 1}[event.key], step = {ArrowUp: -1, ArrowDown: 1}[event.key];
  if (arrow && !in_audit()) go_to((state.item?.index ?? (arrow === 1 ? -1 : 0)) + arrow);
  else if (step && target.matches(".lab, #question")) move_label(step);
  else if (event.key === "Enter" && !target.matches("button:not(.lab)")) { if (!accepts()) return; run_by_key(accept_row, event); }
  else if (!own.single || event.key.length !== 1) return;
  else if (play_keys.includes(event.key)) { if (target.matches("button") || !move_sound(event.key)) return; }
  else if (/[1-9]/.test(event.key)) { if (!in_audit() && !event.repeat) choose_label(state.info.numbered[Number(event.key) - 1]); }
  else {
    const action = actions.find(one => key_of(one) === event.key.toLowerCase());
    if (!action || (in_audit() && !action.audit)) return;
    run_by_key(action, event);
  }
  event.preventDefault();
});

const accept_row = {decides: true, run: () => decide("row")};
const accepts = () => state.item && of_whole_row() && !in_audit();
by_id("accept").addEventListener("click", accept_row.run);
by_id("see-claim").addEventListener("click", () => open_progress());
for (const action of actions) by_id(action.id)?.addEventListener("click", action.run);
