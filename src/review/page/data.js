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

function show_working(place) {
  const share = place.progress?.share ?? 0, left = place.progress?.seconds_left;
  const words = place.state === "looking" ? "Reading the files" : place.progress.stage || "Reading";
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

function role_choice(one, roles) {
  const choice = make("select", {"aria-label": `Role of ${one.column}`}, ...(one.role === "?" ? [make("option", {value: "?", selected: true}, "unclear")] : []),
    ...roles.map(role => make("option", {value: role, selected: role === one.role}, role_words[role] ?? role)));
  choice.addEventListener("change", async () => {
    try { await set_up(await ask("/api/role", {column: one.column, of_annotations: one.of_annotations, role: choice.value}, true)); }
    catch (error) { banner(error.message); }
  });
  return choice;
}

function role_table(answer, of_annotations) {
  const columns = answer.columns.filter(one => one.of_annotations === of_annotations);
  if (columns.length === 0) return null;
  return make("tbody", {}, make("tr", {class: "part"}, make("th", {colspan: "4", scope: "rowgroup"}, of_annotations ? "Annotations" : "Rows")),
    ...columns.map(one => make("tr", {class: one.role === "?" ? "unclear" : undefined}, make("th", {scope: "row"}, make("code", {}, make("bdi", {}, one.column))),
      make("td", {class: "example"}, make("bdi", {}, one.example)), make("td", {}, role_choice(one, answer.roles)), make("td", {class: "why"}, one.reason))));
}

const first_row = row => make("article", {class: "card"}, ...row.map(([column, text]) => make("p", {}, make("span", {class: "column"}, make("bdi", {}, column)), make("bdi", {class: "text-line"}, text))));

async function show_data(place) {
  const answer = await ask("/api/data", {});
  const count = answer.files.length, clear = answer.open.length === 0;
  const begin = make("button", {type: "button", class: "primary", disabled: !clear, onclick: async () => {
    try { await set_up(await ask("/api/begin", {}, true)); } catch (error) { banner(error.message); }
  }}, place.state === "ready" ? "Start again" : "Start");
  const problem = place.problem ? make("p", {class: "trouble", role: "alert"}, place.problem) : null;
  show_screen("Data", make("div", {class: "hero"}, make("div", {}, make("h1", {class: "big"}, `${file_words[count] ?? number(count)} ${count === 1 ? "file" : "files"}, one data set.`),
      make("p", {class: "soft"}, ...list_words(answer.files.map(name => make("bdi", {}, name))), ". Your files are never changed.")), begin),
    problem, ...answer.open.map(text => make("p", {class: "trouble"}, text)),
    make("div", {class: "columns-and-rows"},
      answer.columns.length === 0 ? null : make("section", {class: "card table-card", "aria-labelledby": "roles-title"}, make("h2", {id: "roles-title"}, "Columns"), make("p", {class: "soft"}, "Change a role if it is wrong."),
        scrolls("Columns", make("table", {class: "roles"}, head("Column", "First value", "Role", "Why"), role_table(answer, false), role_table(answer, true)))),
      answer.first.length ? make("section", {class: "first-rows", "aria-labelledby": "first-title"}, make("h2", {id: "first-title"}, "First rows"), ...answer.first.map(first_row)) : null),
    same_as(answer.command));
}
