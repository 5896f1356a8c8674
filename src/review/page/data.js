// The data of a workspace: what each column is, and the start. There is no review before it.

const role_words = {id: "item id", annotator: "annotator", label: "label, yes or no", labels: "labels", vote: "vote", unsure: "unsure", text: "text",
  category: "category", date: "date", number: "number", image: "picture or sound", ignore: "leave out", "?": "unclear"};
const file_words = ["No", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine"];

// Once there is a review, the page is loaded again: all of it begins from what the review says.
async function follow_workspace(place) {
  while (place.state === "looking" || place.state === "working") {
    show_working(place);
    await wait(300);
    try { place = await ask("/api/workspace", {}); } catch (error) {
      if (error instanceof Refused) throw error;
      banner("No connection to sieve. It goes on there; the page comes back by itself.");
      continue;
    }
    banner();
  }
  if (place.state === "ready") {
    if (here() === "data") history.replaceState(null, "", "#overview");
    location.reload();
    return;
  }
  await show_data(place);
}

function set_up(place) {
  by_id("title").textContent = place.title.split("/").at(-1);
  for (const id of ["lanes", "dock", "work", "done", "open-keys", "open-reviewer"]) by_id(id).hidden = true;
  by_id("screen").hidden = false;
  by_id("screens").hidden = false;
  by_id("screens").replaceChildren(make("a", {href: "#data", "aria-current": "page"}, "Data"),
    ...["Overview", "Review", "Annotators", "Export"].map(name => make("span", {class: "later"}, name)));
  state.info = {title: place.title};
  return follow_workspace(place);
}

const stage_words = {"": "Reading", Read: "Reading", Learn: "Learning"};

function show_working(place) {
  const share = place.progress?.share ?? 0, left = place.progress?.seconds_left;
  const words = place.state === "looking" ? "Reading the files" : stage_words[place.progress.stage] ?? place.progress.stage;
  const shown = by_id("screen").querySelector(".working");
  const time = left === null || left === undefined ? "" : `${time_words(left)} left`;
  if (shown) {
    shown.querySelector("h1").textContent = words;
    shown.querySelector("i").style.width = `${100 * share}%`;
    shown.querySelector("[role=progressbar]").setAttribute("aria-valuenow", String(Math.round(100 * share)));
    shown.querySelector(".time").textContent = time;
    return;
  }
  const stop = make("button", {type: "button", onclick: () => ask("/api/stop", {}, true)}, "Stop");
  show_screen("Working", make("section", {class: "card working", "aria-label": "Working"}, make("h1", {}, words),
    make("div", {class: "done-bar", role: "progressbar", "aria-label": "Progress", "aria-valuemin": "0", "aria-valuemax": "100", "aria-valuenow": "0"}, make("i")),
    make("p", {class: "soft time"}, time), make("p", {class: "soft"}, "You may close this page. It goes on, and nothing is lost."),
    place.state === "working" ? stop : null));
}

const time_words = seconds => seconds < 90 ? `${Math.ceil(seconds)} s` : `${Math.round(seconds / 60)} min`;

// What is said of the data is read at once, so that its consequences are seen.
async function say_of_data(path, fields) {
  try { await set_up(await ask(path, fields, true)); } catch (error) { banner(error.message); }
}

const choice_of = (name, chosen, options, change) => make("select", {"aria-label": name, onchange: event => change(event.target.value)},
  ...options.map(([value, words]) => make("option", {value, selected: value === chosen}, words)));

function role_choice(one, answer) {
  const roles = one.of_annotations ? answer.roles : answer.roles_of_rows;
  return choice_of(`Role of ${one.column}`, one.role, [...(one.role === "?" ? ["?"] : []), ...roles].map(role => [role, role_words[role] ?? role]),
    role => say_of_data("/api/role", {column: one.column, of_annotations: one.of_annotations, role}));
}

function role_table(answer, of_annotations) {
  const columns = answer.columns.filter(one => one.of_annotations === of_annotations);
  if (columns.length === 0) return null;
  return make("tbody", {}, make("tr", {class: "part"}, make("th", {colspan: "4", scope: "rowgroup"}, of_annotations ? "Annotations" : "Rows")),
    ...columns.map(one => make("tr", {class: one.role === "?" ? "unclear" : undefined}, make("th", {scope: "row"}, make("code", {}, make("bdi", {}, one.column))),
      make("td", {class: "example"}, make("bdi", {}, one.example)), make("td", {}, role_choice(one, answer)), make("td", {class: "why"}, one.reason))));
}

const use_words = {rows: "rows", annotations: "annotations", "left out": "left out"};

const file_table = files => make("section", {class: "card table-card", "aria-labelledby": "files-title"}, make("h2", {id: "files-title"}, "Files"),
  scrolls("Files and their uses", make("table", {class: "roles"}, head("File", "Holds"), make("tbody", {}, ...files.map((one, file) => make("tr", {},
    make("th", {scope: "row"}, make("bdi", {}, one.name)),
    make("td", {}, choice_of(`What ${one.name} holds`, one.use, Object.entries(use_words), use => say_of_data("/api/use", {file, use})))))))));

const question_box = (one, question) => make("div", {class: "trouble"}, make("p", {}, one.text),
  one.answers.length === 0 ? null : make("p", {class: "answers"}, ...one.answers.map((words, answer) =>
    make("button", {type: "button", onclick: () => say_of_data("/api/answer", {question, answer})}, words))));

const counts_of = data => data.rows === 0 ? "" : `${[plural(data.rows, "row", "rows"), ...(data.annotators ? [plural(data.annotators, "annotator", "annotators"), plural(data.annotations, "annotation", "annotations")] : []),
  plural(data.labels, "label", "labels")].join(", ")}. `;

function data_title(files) {
  const read = files.filter(one => one.use !== "left out").length;
  return `${file_words[read] ?? number(read)} ${read === 1 ? "file" : "files"}, one data set.`;
}

const most_cells = 6;
const first_row = row => make("article", {class: "card"}, ...row.slice(0, most_cells).map(([column, text]) => make("p", {}, make("span", {class: "column"}, make("bdi", {}, column)), make("bdi", {class: "text-line"}, text))));

async function show_data(place) {
  const answer = await ask("/api/data", {}), clear = answer.open.length === 0;
  const begin = make("button", {type: "button", class: "primary", disabled: !clear, onclick: () => say_of_data("/api/begin", {})}, place.state === "ready" ? "Start again" : "Start");
  show_screen("Data", make("div", {class: "hero"}, make("div", {}, make("h1", {class: "big"}, clear ? data_title(answer.files) : "Something is unclear."),
      make("p", {class: "soft"}, counts_of(answer), "Your files are never changed.")), begin),
    place.problem ? make("p", {class: "trouble", role: "alert"}, place.problem) : null, ...answer.open.map(question_box),
    make("div", {class: "columns-and-rows"}, make("div", {class: "stack"},
      answer.columns.length === 0 ? null : make("section", {class: "card table-card", "aria-labelledby": "roles-title"}, make("h2", {id: "roles-title"}, "Columns"), make("p", {class: "soft"}, "Change a role if it is wrong."),
        scrolls("Columns and their roles", make("table", {class: "roles columns-of"}, head("Column", "First value", "Role", "Why"), role_table(answer, false), role_table(answer, true)))),
      file_table(answer.files)),
      answer.first.length ? make("section", {class: "first-rows", "aria-labelledby": "first-title"}, make("h2", {id: "first-title"}, "First rows"), ...answer.first.map(first_row)) : null),
    clear ? same_as(answer.command) : null);
}
