// The queue as a list of any length: only what can be seen is there.
const list_height = 52, list_page = 100;
const listed = {total: 0, active: 0, pages: new Map(), asked: 0};

function list_item(index) {
  return listed.pages.get(Math.floor(index / list_page))?.[index % list_page];
}

async function load_page(page) {
  if (listed.pages.has(page) || page < 0) return;
  listed.pages.set(page, undefined);
  const asked = listed.asked;
  const answer = await ask("/api/list", {...view(), from: page * list_page, most: list_page});
  if (asked !== listed.asked) return;
  listed.pages.set(page, answer.items);
  listed.total = answer.total;
  by_id("queue-size").textContent = (of_whole_row() ? plural(answer.total, "row", "rows") : plural(answer.total, "label", "labels")) + " in this view";
  draw_list();
}

function list_option(index) {
  const one = list_item(index);
  const option = make("div", {role: "option", id: `option-${index}`, "aria-selected": String(index === listed.active),
    "aria-posinset": index + 1, "aria-setsize": listed.total, onclick: () => open_listed(index)});
  option.style.top = `${index * list_height}px`;
  if (one) option.append(...(one.image ? [thumbnail(one)] : []),
    make("span", {class: "first"}, make("span", {}, make("b", {}, label_name(one.label)), ` · ${row_title(one.id)}`),
      one.answer ? make("span", {class: `tag ${one.answer}-tag`}, one.answer) : make("span", {class: "tag open-tag"}, percent(one.confidence))),
    make("span", {class: "second"}, one.text));
  else option.append("…");
  return option;
}

function draw_list() {
  const list = by_id("queue-list"), space = by_id("queue-space");
  space.style.height = `${listed.total * list_height}px`;
  const first = Math.max(0, Math.floor(list.scrollTop / list_height) - 3);
  const last = Math.min(listed.total, first + Math.ceil(list.clientHeight / list_height) + 6);
  const options = [];
  for (let index = first; index < last; ++index) options.push(list_option(index));
  space.replaceChildren(...options);
  if (listed.active >= first && listed.active < last) list.setAttribute("aria-activedescendant", `option-${listed.active}`);
  else list.removeAttribute("aria-activedescendant");
  for (const page of new Set([first, last].map(index => Math.floor(index / list_page))))
    if (page * list_page < Math.max(1, listed.total)) load_page(page);
}

function move_in_list(to) {
  const list = by_id("queue-list");
  listed.active = Math.max(0, Math.min(listed.total - 1, to));
  const top = listed.active * list_height;
  if (top < list.scrollTop) list.scrollTop = top;
  if (top + list_height > list.scrollTop + list.clientHeight) list.scrollTop = top + list_height - list.clientHeight;
  draw_list();
}

async function open_listed(index) {
  by_id("queue").close();
  await go_to(index);
}

async function open_queue() {
  listed.pages.clear();
  ++listed.asked;
  listed.active = state.item?.index ?? 0;
  by_id("queue").showModal();
  await load_page(Math.floor(listed.active / list_page));
  by_id("queue-list").focus();
  move_in_list(listed.active);
}

by_id("queue-list").addEventListener("scroll", draw_list);
by_id("queue-list").addEventListener("keydown", event => {
  const steps = {ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10, Home: -listed.total, End: listed.total};
  if (event.key in steps) move_in_list(listed.active + steps[event.key]);
  else if (event.key === "Enter") open_listed(listed.active);
  else return;
  event.preventDefault();
});
