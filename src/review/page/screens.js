// The screens beside the cards, each by its name in the link.
const screens = {data: () => show_data({state: "ready"}), overview: show_overview, review: show_review, audit: show_audit, annotators: show_annotators, export: show_export};
const has_export = () => state.info.workspace;
const screen_names = () => [...(state.data ? [["data", "Data"]] : []), ["overview", "Overview"], ["review", "Review"], ["annotators", "Annotators"], ...(has_export() ? [["export", "Export"]] : [])];
const here = () => { const name = location.hash.slice(1).split("?")[0]; return name in screens ? name : ""; };

// Nothing but an audit has no other screens.
async function route() {
  if (!state.info || state.info.audit || !state.reviewer) return;
  const name = here() || (state.info.workspace ? "overview" : "review");
  go_to_screen(name);
  banner();
  try { await screens[name](); } catch (error) { banner(error.message); }
}

function go_to_screen(name) {
  state.screen = name;
  set_lane(name === "audit" ? "audit" : "review");
  const cards = name === "review" || name === "audit";
  by_id("screen").hidden = cards;
  for (const id of ["lanes", "dock"]) by_id(id).hidden = !cards;
  if (!cards) for (const id of ["work", "done", "view-box"]) by_id(id).hidden = true;
  by_id("state").hidden = name === "overview";  // which says it itself
  if (state.counts) show_counts(state.counts);
  show_places(name);
}

// A row that is opened from another screen has its card.
function enter_cards() {
  if (state.info.audit || state.screen === "review") return;
  history.pushState(null, "", "#review");
  go_to_screen("review");
}

function show_places(name) {
  const current = name === "audit" ? "review" : name;
  by_id("screens").hidden = false;
  by_id("screens").replaceChildren(...screen_names().map(([id, words]) =>
    make("a", {href: `#${id}`, "aria-current": id === current ? "page" : undefined}, words)));
  show_lanes();
}

// The ways to decide, with how much waits in each; a sweep is a dialog over the cards.
function show_lanes() {
  const disputed = linked_view().includes("decided=disputed"), counts = state.counts, audit = counts?.audit, cards = state.screen === "review";
  const waits = count => count ? make("small", {}, number(count)) : null;
  const lane = (words, count, href, on) => make("a", {href, "aria-current": on ? "page" : undefined}, words, " ", waits(count));
  by_id("lane-list").replaceChildren(...(audit ? [lane("Audit", audit && audit.asked - audit.answered, "#audit", state.screen === "audit")] : []),
    lane("Uncertain", counts?.rows_doubtful, "#review", cards && !disputed),
    make("button", {type: "button", class: "lane", id: "open-bulk", "aria-haspopup": "dialog", onclick: sweep}, "Sweep ", key_hint("open-bulk")),
    lane("Conflicts", counts?.disputed, "#review?decided=disputed&unit=cell", cards && disputed));
}

async function sweep() {
  if (state.screen === "audit") {
    history.pushState(null, "", "#review");
    await route();
  }
  return open_bulk();
}

const show_same_cards = verb => by_id("same-cards").replaceChildren(same_as(`sieve ${verb} ${state.info.sources}${verb === "review" ? state.info.judging : ""} --decisions ${state.info.decisions}`));

function show_review() {
  recall_view();
  show_lanes();
  show_same_cards("review");
  state.from = 0;
  return next_item();
}

async function show_audit() {
  by_id("unit").value = "cell";
  show_same_cards(state.info.workspace ? "audit" : "review");
  return next_item();
}

function show_screen(title, ...parts) {
  document.title = `${title} · ${state.info.title}`;
  by_id("screen").replaceChildren(...parts.filter(Boolean));
  scrollTo(0, 0);
  const first = by_id("screen").querySelector("h1");
  first?.setAttribute("tabindex", "-1");
  first?.focus({preventScroll: true});
}

// The command that does the same, to copy.
function same_as(command, words = "Same as") {
  const copy = make("button", {type: "button", class: "quiet"}, "Copy");
  copy.addEventListener("click", async () => {
    try { await navigator.clipboard.writeText(command); copy.textContent = "Copied"; } catch { getSelection().selectAllChildren(code); }
  });
  // Broken between words alone, where they are not longer than a line.
  const code = make("code", {}, ...command.split(" ").flatMap((word, k) => [k ? " " : "", make("span", {}, word)]));
  return make("p", {class: "same"}, make("span", {}, words), code, copy);
}

// As one word of a shell.
const shell_word = text => /^[\w.\/,:=@%+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;

const claim_range = (claim, scale = 1) => {
  const range = make("span", {class: claim.basis === "audit" ? "range audited" : "range"}, make("i"), make("u"));
  for (const [name, value] of [["--lo", claim.low], ["--hi", claim.high], ["--v", claim.value]])
    range.style.setProperty(name, String(100 * value * scale));
  return range;
};

const bar_of = (value, most) => {
  const bar = make("span", {class: "harm"});
  bar.style.setProperty("--w", String(most > 0 ? 100 * value / most : 0));
  return bar;
};

const number_words = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];

// "four in five", the nearest with a small number below.
function fraction_words(share) {
  if (share < 0.05) return "fewer than one in twenty";
  if (share > 0.95) return "nearly all";
  const fractions = [2, 3, 4, 5, 10].flatMap(all => Array.from({length: all - 1}, (_, k) => [k + 1, all]));
  const [some, all] = fractions.reduce((best, one) => Math.abs(one[0] / one[1] - share) < Math.abs(best[0] / best[1] - share) - 1e-9 ? one : best);
  return some * 2 === all ? "half" : `${number_words[some]} in ${number_words[all]}`;
}

// A wide range has no middle worth saying.
function wrong_sentence(claim) {
  const verb = claim.basis === "audit" ? "are wrong" : "may be wrong", width = claim.high - claim.low;
  const words = fraction_words(claim.value);
  if (width > 0.7) return "How many labels are wrong is hardly known yet.";
  if (width > 0.4) return claim.low < 0.05 ? `Up to ${fraction_words(claim.high)} of the labels ${verb}.`
    : `Between ${fraction_words(claim.low)} and ${fraction_words(claim.high)} of the labels ${verb}.`;
  if (claim.value < 0.05 || claim.value > 0.95) return `${words[0].toUpperCase() + words.slice(1)} labels ${verb}.`;
  return `About ${words}${words === "half" ? " of the" : ""} labels ${verb}.`;
}

const sentence = (words, ...below) => make("div", {class: "sentence"}, make("p", {class: "big"}, ...words), make("p", {class: "soft"}, ...below));

function overview_sentences(answer) {
  const {claim, not_claimed} = answer.counts.error;
  const labels = answer.labels.toSorted((a, b) => b.doubtful - a.doubtful).filter(one => one.doubtful > 0).slice(0, 3);
  const all = answer.labels.reduce((sum, one) => sum + one.doubtful, 0), some = labels.reduce((sum, one) => sum + one.doubtful, 0);
  const people = answer.annotators.filter(one => one.wrong >= 1).slice(0, 3);
  const parts = [make("div", {class: "sentence"}, make("h1", {class: "big"}, claim ? wrong_sentence(claim) : "How many labels are wrong is not known."),
    make("p", {class: "soft"}, claim ? claim_element(claim) : not_claimed, " ",
      state.info.workspace ? make("a", {href: "#audit"}, claim?.basis === "audit" ? "Narrow the range" : "Measure it") : null))];
  if (labels.length) parts.push(sentence(["Fix ", ...list_words(labels.map(one => make("a", {href: label_link(one.label)}, name_element(one.label)))), " first."],
    `Doubtful ticks with ${labels.length === 1 ? "this label" : "these labels"}: ${number(some)} of ${number(all)}. Open one to review it.`));
  if (people.length) parts.push(sentence([...list_words(people.map(one => make("a", {href: `#annotators?who=${one.who}`}, make("bdi", {}, one.name)))), " may add the most wrong ticks."],
    ...(answer.worst.claim ? [claim_element(answer.worst.claim), ` of their ${number(answer.worst.ticks)} ticks. `] : ["How many is not claimed. "]),
    make("a", {href: "#annotators"}, "See why")));
  return parts;
}

const label_link = label => `#review?${new URLSearchParams({label: label_name(label)})}`;
const audit_first = 60;  // decisions that a useful range takes

function next_step(answer) {
  const {counts} = answer, answered = counts.audit?.answered ?? 0;
  const [title, words, link, button] = state.info.workspace && answered < audit_first
    ? [`Next: ${number(audit_first - answered)} blind decisions`, "They measure how many labels are wrong. Until then, all shares are guesses.", "#audit", "Audit"]
    : counts.rows_doubtful > 0
      ? [`Next: ${plural(counts.rows_doubtful, "row", "rows")} in doubt`, "They would change the labels most.", "#review", "Review"]
      : counts.disputed > 0
        ? [`Next: ${plural(counts.disputed, "conflict", "conflicts")}`, "Two reviewers decided in two ways.", "#review?decided=disputed&unit=cell", "Settle them"]
        : ["Nothing is in doubt", "Only an audit can tell whether the labels are right.", has_export() ? "#export" : "#review", has_export() ? "Export" : "Review"];
  const steps = [...(state.info.workspace ? [[answered >= audit_first, `Audit: ${number(answered)} of ${number(counts.audit?.asked ?? 0)}`]] : []),
    [counts.rows_doubtful === 0, `Uncertain: ${plural(counts.rows_doubtful, "row waits", "rows wait")}`],
    [counts.disputed === 0, `Conflicts: ${plural(counts.disputed, "label waits", "labels wait")}`]];
  return make("section", {class: "card next-step", "aria-label": "Next"}, make("h2", {}, title), make("p", {class: "soft"}, words),
    make("a", {class: "button primary", href: link}, button),
    make("ul", {}, ...steps.map(([done, text]) => make("li", {}, make("span", {class: `box ${done ? "ink" : "off"}`, "aria-hidden": "true"}, done ? "✓" : ""), text))));
}

const head = (...names) => make("thead", {}, make("tr", {}, ...names.map(name => name ? make("th", {scope: "col"}, name) : make("td"))));

function label_table(answer) {
  const rows = answer.labels.toSorted((a, b) => b.doubtful - a.doubtful);
  return make("section", {class: "card table-card", "aria-labelledby": "labels-title"}, make("h2", {id: "labels-title"}, "Labels, most doubtful ticks first", ...[...new Set(rows.map(one => one.claim?.basis).filter(Boolean))].map(basis => make("span", {class: basis === "audit" ? "claim audited" : "claim"}, " ", make("span", {class: "basis"}, basis === "audit" ? "audited" : "guess")))),
    scrolls("Labels", make("table", {class: "label-table"}, head("Label", "Ticks", "In doubt", make("span", {class: "axis"}, make("i", {}, "0"), "wrong ticks, %", make("i", {}, "100")), "Wrong"),
      make("tbody", {}, ...rows.map(one => make("tr", {},
        make("th", {scope: "row"}, make("a", {href: label_link(one.label)}, name_element(one.label))), make("td", {}, number(one.ticks)), make("td", {}, number(one.doubtful)),
        make("td", {class: "wide-cell"}, one.claim ? claim_range(one.claim) : one.not_claimed ?? ""), make("td", {}, one.claim ? bare_claim(one.claim) : "not claimed")))))));
}

function annotator_table(answer) {
  if (answer.annotators.length === 0) return null;
  const most = answer.annotators[0].wrong;
  return make("section", {class: "card table-card", "aria-labelledby": "people-table"}, make("h2", {id: "people-table"}, "Annotators, most wrong ticks first ", make("span", {class: "basis"}, "guess")),
    scrolls("Annotators", make("table", {class: "harm-table"}, head("Annotator", make("span", {class: "axis"}, make("i", {}, "0"), "wrong ticks", make("i", {}, about(most))), "Wrong", "Ticks"),
      make("tbody", {}, ...answer.annotators.slice(0, 15).map(one => make("tr", {},
        make("th", {scope: "row"}, make("a", {href: `#annotators?who=${one.who}`}, make("bdi", {}, one.name))), make("td", {class: "wide-cell"}, bar_of(one.wrong, most)),
        make("td", {}, one.claim ? bare_claim(one.claim) : "not claimed"), make("td", {}, number(one.ticks))))))),
    answer.annotators_all > 15 ? make("p", {class: "soft"}, make("a", {href: "#annotators"}, `All ${number(answer.annotators_all)}`)) : null);
}

// An expected count has no decimals worth reading.
const about = value => value > 0 && value < 1 ? "< 1" : number(Math.round(value));
const scrolls = (name, table) => make("div", {class: "scroll", role: "region", tabindex: "0", "aria-label": name}, table);

async function show_overview() {
  const answer = await ask("/api/overview", {});
  show_counts(answer.counts);
  show_screen("Overview", ...state.notes.map(note => make("p", {class: "trouble"}, note)), make("div", {class: "lead"}, make("div", {class: "sentences"}, ...overview_sentences(answer)), next_step(answer)),
    make("div", {class: "pair"}, label_table(answer), annotator_table(answer)),
    same_as(state.info.trained ? `sieve clean ${state.info.sources}${state.info.judging}` : `sieve review ${state.info.sources}${state.info.judging} --decisions ${state.info.decisions}`));
}

// ---- annotators

// Opens the cards with these ticks.
function heat_cell(name, label, [ticks, wrong]) {
  if (ticks < 5) return make("td", {class: "heat"}, "·");
  const share = wrong / ticks, words = String(Math.round(Math.min(99, Math.max(1, share * 100))));
  return make("td", {class: `heat h${Math.min(4, Math.floor(share * 5))}`}, make("a", {href: `#review?${new URLSearchParams({label: label_name(label), annotator: name})}`,
    "aria-label": `${words} % of ${number(ticks)} ticks of ${label_name(label)} by ${name}`}, words));
}

const most_columns = 20;  // labels of the heat map

// What stands out without any guess: a label that somebody ticks on every row, and that is mostly wrong.
const many_rows = 20;
function habit_of(one) {
  const label = one.labels.findIndex(([ticks, wrong]) => ticks === one.annotations && wrong > ticks / 2);
  return one.annotations >= many_rows && label >= 0 ? label : null;
}

function annotators_title(people) {
  const first = people.find(one => habit_of(one) !== null), label = first && habit_of(first);
  const alike = first ? people.filter(one => habit_of(one) === label) : [], worst = people.filter(one => one.wrong >= 1);
  const names = (first ? alike : worst).slice(0, 3).map(one => make("bdi", {}, one.name));
  if (first) return [...list_words(names), alike.length === 1 ? " ticks " : " tick ", name_element(label), " on every row."];
  return worst.length ? [...list_words(names), " may add the most wrong ticks."] : ["No annotator seems to add wrong ticks."];
}

async function show_annotators() {
  const view = new URLSearchParams(linked_view()), who = view.get("who");
  if (who !== null) return show_feedback(Number(who));
  const answer = await ask("/api/annotators", {most: 100, name: view.get("name") || null});
  const command = same_as(`sieve annotators ${state.info.sources}`);
  if (answer.total === 0)
    return show_screen("Annotators", make("h1", {class: "big"}, "No names in the data."), make("p", {class: "soft"}, "Without names of annotators nobody can tell who ticked what."), command);
  const people = answer.annotators;
  const find = make("input", {type: "search", "aria-label": "Find an annotator", placeholder: "Find an annotator", maxlength: "100", value: view.get("name") ?? ""});
  find.addEventListener("change", () => { location.hash = find.value.trim() ? `annotators?${new URLSearchParams({name: find.value.trim()})}` : "annotators"; });
  const ticks = state.info.labels.map((_, label) => people.reduce((sum, one) => sum + one.labels[label][0], 0));
  const columns = state.info.labels.map((_, label) => label).toSorted((a, b) => ticks[b] - ticks[a]).slice(0, most_columns);
  show_screen("Annotators", make("div", {class: "hero"}, make("h1", {class: "big"}, ...(view.get("name") ? [plural(answer.found, "annotator", "annotators"), " found."] : annotators_title(people))), find),
    make("p", {class: "soft"}, answer.annotations === answer.rows ? "Each row has one annotation: agreement cannot be measured. An audit can."
      : `${plural(answer.total, "annotator", "annotators")}, ${plural(answer.annotations, "annotation", "annotations")}. Wrong: the share of their ticks.`),
    make("section", {class: "card table-card", "aria-labelledby": "heat-title"}, make("h2", {id: "heat-title"}, "Who adds wrong ticks, and where ", make("span", {class: "basis"}, "guess")),
      make("p", {class: "soft shades"}, "Each cell: wrong, % of this annotator’s ticks of the label, by their probabilities; no range is known for single cells. A dot: fewer than 5 ticks. ", ...[0, 1, 2, 3, 4].map(shade => make("span", {class: `h${shade}`, "aria-hidden": "true"}, String(20 * shade)))),
      scrolls("Annotators and labels", make("table", {class: "heat-table"}, make("thead", {}, make("tr", {}, ...["Annotator", "Rows", "Ticks", "Wrong", "Agrees"].map(name => make("th", {scope: "col"}, name)),
        ...columns.map(label => make("th", {scope: "col", class: "tall"}, make("span", {}, name_element(label)))))),
      make("tbody", {}, ...people.map(one => make("tr", {}, make("th", {scope: "row"}, make("a", {href: `#annotators?who=${one.who}`}, make("bdi", {}, one.name))),
        make("td", {}, number(one.annotations)), make("td", {}, number(one.ticks)), make("td", {}, one.claim ? bare_claim(one.claim) : "not claimed"), make("td", {}, one.agreement === null ? "" : percent(one.agreement)),
        ...columns.map(label => heat_cell(one.name, label, one.labels[label]))))))),
      answer.found > people.length ? make("p", {class: "soft"}, `The first ${number(people.length)} of ${number(answer.found)}, by harm.`) : null),
    command);
}

async function show_feedback(who) {
  const answer = await ask("/api/annotator", {who});
  const print = make("button", {type: "button", onclick: () => globalThis.print()}, "Print");
  show_screen("Feedback", make("p", {class: "soft no-print"}, make("a", {href: "#annotators"}, "All annotators")),
    make("h1", {class: "big"}, "Feedback for ", make("bdi", {}, answer.name)),
    ...answer.labels.filter(([, , wrong]) => wrong >= 1).map(([label, ticks, wrong]) => make("p", {}, make("b", {}, name_element(label)), ticks === answer.annotations ? ": ticked on every row, " : ": ",
      plural(ticks, "tick", "ticks"), `, about ${about(wrong)} of them may be wrong. `, make("span", {class: "basis"}, "guess"), " by their probabilities; no range is known")),
    make("p", {class: "soft"}, answer.worst.length ? `Of ${plural(answer.ticks, "tick", "ticks")}, these are least likely right. Where a reviewer decided, it says so.` : `None of ${plural(answer.ticks, "tick", "ticks")} is likely wrong.`),
    answer.worst.length ? make("section", {class: "card table-card"}, make("ul", {class: "similar"}, ...answer.worst.map(one => row_line(one, true)))) : null, make("p", {}, print), same_as(`sieve annotators ${state.info.sources}`));
}

// ---- export

const undecided_words = {keep: ["Keep", "Ticks that nobody decided stay.", "not claimed"],
  machine: ["Machine", "Ticks that nobody decided are cleaned, with what your decisions taught.", "not claimed: export, then audit"],
  drop: ["Drop", "Rows with a tick that nobody decided are left out.", "as people decided"]};

const choice_row = (one, place) => make("tr", {}, make("td", {}, make("label", {class: "choice"}, make("input", {type: "radio", name: "undecided", value: one.undecided, checked: place === 0}),
  make("span", {}, make("b", {}, undecided_words[one.undecided][0]), make("small", {}, undecided_words[one.undecided][1])))),
  make("td", {"data-name": "rows"}, number(one.rows)), make("td", {"data-name": "labels"}, number(one.labels)),
  make("td", {}, one.wrong ? claim_element(one.wrong) : one.changed ? `not claimed: ${plural(one.changed, "label has", "labels have")} changed since the audit. Audit again` : undecided_words[one.undecided][2]));

// Which labels an audit is about.
const audited_words = {keep: "the labels that Export wrote with “Keep”", machine: "the labels that Export wrote, cleaned by the machine"};
const audited_labels = counts => audited_words[counts.audit_of] ?? "the labels as they came";
async function audit_these(of) {
  show_counts((await ask("/api/audit", {of}, true)).counts);
  location.hash = "#audit";
}

// What a choice would write, before it is written: counts, and the first rows that change.
const change_marks = {kept: ["span", ""], removed: ["del", "− "], added: ["ins", "+ "]};
const changed_label = ([label, change]) => make("li", {}, make(change_marks[change][0], {}, change_marks[change][1], name_element(label)));
const changed_row = one => make("li", {}, make("p", {class: "soft"}, make("bdi", {}, row_title(one.id)), one.text ? ": " : "", make("bdi", {}, one.text)), make("ul", {class: "changed-labels"}, ...one.labels.map(changed_label)));

function export_preview({rows, preview}, all) {
  const words = rows === 0 ? "No row would be written: no row is decided yet." : [`${plural(preview.kept, "label", "labels")} kept, ${number(preview.removed)} removed, ${number(preview.added)} added`,
    `${number(preview.changed)} of ${plural(rows, "row", "rows")} change.`].join("; ") + (rows < all ? ` ${plural(all - rows, "row is", "rows are")} left out.` : "");
  return [make("h2", {id: "preview-title"}, "Preview"), make("p", {id: "preview-words", role: "status"}, words),
    ...(preview.first.length ? [make("p", {class: "soft"}, preview.changed > preview.first.length ? `The first ${number(preview.first.length)} rows that change:` : "The rows that change:"), make("ul", {class: "changed-rows"}, ...preview.first.map(changed_row))] : [])];
}

// The ending of a name says the format. Columns beside the labels fit into tables alone.
const export_formats = {".csv": "CSV", ".tsv": "TSV", ".jsonl": "JSON lines", ".xlsx": "Excel", ".parquet": "Parquet", ".arff": "ARFF", ".npz": "NumPy"};
const ending_of = name => name.match(/\.[^.]*$/)?.[0] ?? "";
const takes_columns = name => [".csv", ".tsv", ".jsonl", ".xlsx", ".parquet"].includes(ending_of(name.replace(/\.gz$/, "")));
const beside_words = {probability: "probability", was: "label before", decided_by: "who decided", decided_at: "when", note: "note"};

const written = done => done.page ? `Written: ${done.path}, and a page to print beside it.`
  : done.rows === undefined ? [`Written: ${done.path}, with the decisions beside the annotations.`, ...done.notes].join(" ")
  : [`Written: ${done.path}, ${plural(done.rows, "row", "rows")}, ${plural(done.labels, "label", "labels")}.`, ...done.notes].join(" ");

async function show_export() {
  const answer = await ask("/api/export", {});
  show_counts(answer.counts);
  const names = {rows: answer.name, annotations: answer.back_name};
  const name = make("input", {id: "export-name", value: names.rows, maxlength: "100", autocomplete: "off"});
  const layout = make("select", {id: "export-layout"}, make("option", {value: "rows"}, "the rows, with their labels"),
    make("option", {value: "annotations"}, "the annotations, with decisions beside them"));
  const said = make("p", {role: "status", id: "export-said"}), command = make("div", {}), proof = make("div", {});
  const write = async (path, fields) => {
    try {
      const done = await ask(path, fields, true);
      said.textContent = written(done);
      if (done.rows !== undefined && undecided() !== "drop")
        proof.replaceChildren(make("button", {type: "button", onclick: () => audit_these(undecided())}, "Audit these labels"), same_as(`sieve audit ${state.info.sources} --labels ${shell_word(done.path)} --decisions ${shell_word(done.path + ".audit.db")}`, "Prove how good these are"));
    } catch (error) { said.textContent = error.message; }
  };
  const undecided = () => by_id("screen").querySelector("input[name=undecided]:checked")?.value ?? "keep";
  const preview = make("section", {class: "card table-card", "aria-labelledby": "preview-title"});
  const show_preview = () => preview.replaceChildren(...export_preview(answer.choices.find(one => one.undecided === undecided()), answer.rows));
  const back = () => layout.value === "annotations";
  const format = make("select", {id: "export-format"}, ...Object.entries(export_formats).map(([ending, words]) => make("option", {value: ending}, words)), make("option", {value: ""}, "by its name"));
  const format_box = make("label", {class: "file-name"}, "Format", format);
  const columns = make("details", {class: "beside"}, make("summary", {}, "Columns beside each label"),
    ...answer.beside.map(one => make("label", {class: "check"}, make("input", {type: "checkbox", value: one}), beside_words[one] ?? one)));
  const beside = () => back() || !takes_columns(name.value.trim()) ? [] : [...columns.querySelectorAll("input:checked")].map(one => one.value);
  const show_command = () => {
    format_box.hidden = back();
    columns.hidden = back() || !takes_columns(name.value.trim());
    format.value = ending_of(name.value.trim()) in export_formats ? ending_of(name.value.trim()) : "";
    const judge = undecided() === "machine" ? state.info.judging : "", more = beside();
    command.replaceChildren(same_as(`sieve review export ${state.info.sources}${judge} --decisions ${state.info.decisions} --undecided ${undecided()}${more.length ? ` --with ${more.join(",")}` : ""} ${back() ? "--annotations-out" : "--out"} ${shell_word(name.value.trim())}`));
  };
  layout.addEventListener("change", () => { name.value = names[layout.value]; show_command(); });
  format.addEventListener("change", () => { if (format.value) name.value = name.value.trim().replace(/\.[^.]*$/, "") + format.value; show_command(); });
  columns.addEventListener("change", show_command);
  name.addEventListener("input", show_command);
  const certificate = make("button", {type: "button", disabled: answer.answered === 0, onclick: () => write("/api/certificate", {name: name.value.trim().replace(/\.[^.]*$/, "") + "-certificate"})}, "Write certificate");
  show_screen("Export", make("h1", {class: "big"}, `Ready: ${plural(answer.rows, "row", "rows")}, ${plural(answer.choices[0].labels, "label", "labels")}.`),
    make("p", {class: "soft"}, `${plural(answer.counts.rows_decided, "row is", "rows are")} decided by people. Choose what happens to the others.`),
    make("div", {class: "lead"},
      make("div", {class: "stack"},
        make("section", {class: "card table-card", "aria-label": "Undecided rows", onchange: () => { show_command(); show_preview(); }}, scrolls("Choices", make("table", {class: "choices"}, head("Labels that nobody decided", "Rows", "Labels", "Wrong"), make("tbody", {}, ...answer.choices.map(choice_row))))), preview),
      make("section", {class: "card next-step", "aria-label": "Write"}, make("h2", {}, "Write"),
        answer.layout ? make("label", {class: "file-name"}, "What", layout) : null, make("label", {class: "file-name"}, "File name", name), format_box, columns,
        make("button", {type: "button", class: "primary", onclick: () => write(back() ? "/api/export-annotations" : "/api/export", {undecided: undecided(), name: name.value.trim(), with: beside()})}, "Export"),
        make("p", {class: "soft"}, answer.answered ? `A certificate states what ${plural(answer.answered, "blind decision proves", "blind decisions prove")} about ${audited_labels(answer.counts)}${answer.counts.audit_of ? ", before these decisions" : ""}.` : "A certificate needs an audit. 60 decisions give a range of about 25 points."),
        certificate, answer.counts.audit_of ? make("button", {type: "button", onclick: () => audit_these("came")}, "Audit the labels as they came") : null, said, proof)),
    make("p", {class: "soft"}, "Files go to ", make("code", {}, answer.folder === "." ? state.info.title : answer.folder), ", with the columns that your files have. None is ever replaced."),
    command);
  show_command();
  show_preview();
}

addEventListener("hashchange", route);
