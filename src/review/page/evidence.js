// What stands beside the labels: who ticked it, the guideline, rows that are alike.
// Who ticked it first, the most reliable on top; those who did not are folded when they are many.
const folded_from = 4;

const annotator_line = one => make("li", {},
  make("b", {}, one.name), one.ticked ? "" : one.unsure ? " was unsure" : " did not",
  one.agreement === undefined ? null : make("small", {},
    one.guesses ? "seems to guess" : `agrees with the others in ${percent(one.agreement)}`));

function show_people(item) {
  by_id("people-box").hidden = item.people.length === 0;
  const people = item.people.toSorted((a, b) => (b.agreement ?? 0) - (a.agreement ?? 0));
  const ticked = people.filter(one => one.ticked), others = people.filter(one => !one.ticked);
  const fold = others.length >= folded_from;
  by_id("people-title").replaceChildren(`${number(ticked.length)} of ${number(people.length)} ticked `, name_element(item.label));
  by_id("people").replaceChildren(...[...ticked, ...(fold ? [] : others)].map(annotator_line));
  by_id("other-people").hidden = !fold;
  by_id("other-people-words").textContent = `${number(others.length)} did not`;
  by_id("other-people-list").replaceChildren(...(fold ? others.map(annotator_line) : []));
}

// Markdown as far as a guideline needs it: paragraphs, lists, and **what matters**.
function rich_text(text) {
  return text.split(/\*\*(.+?)\*\*/).map((part, k) => k % 2 ? make("b", {}, part) : part);
}
function show_markdown(text) {
  return text.split(/\n\s*\n/).map(block => {
    const lines = block.split("\n").map(line => line.trim()).filter(Boolean);
    if (lines.every(line => /^[-*] /.test(line))) return make("ul", {}, ...lines.map(line => make("li", {}, ...rich_text(line.slice(2)))));
    return make("p", {}, ...rich_text(lines.map(line => line.replace(/^#+ /, "")).join(" ")));
  });
}

function show_guideline(label) {
  const text = state.info.guidelines[label] ?? "";
  by_id("guideline-box").hidden = !text;
  by_id("guideline").replaceChildren(...(text ? show_markdown(text) : []));
}

function see_guideline() {
  const box = by_id("guideline-box");
  if (box.hidden) { say("There is no guideline for this label."); return; }
  box.scrollIntoView({block: "nearest"});
  box.focus({preventScroll: true});
}

function answer_tag(one) {
  if (one.answer === "yes") return make("span", {class: "tag yes-tag"}, "✓ decided: yes");
  if (one.answer === "no") return make("span", {class: "tag no-tag"}, "✕ decided: no");
  return make("span", {class: "tag open-tag"}, one.ticked ? "ticked, not decided" : "not ticked, not decided");
}

const media_link = place => {
  const [row, column] = place.split("/");
  return `/media?row=${row}&column=${column}&token=${encodeURIComponent(token)}`;
};

function thumbnail(one) {
  const image = make("img", {class: "thumb", src: media_link(one.image), alt: "", loading: "lazy"});
  image.addEventListener("error", () => image.remove());
  return image;
}

// A row in a list; a press opens it.
function row_line(one, with_label) {
  return make("li", {}, one.image ? thumbnail(one) : null,
    make("button", {type: "button", class: "link", onclick: () => open_row(one)}, make("bdi", {}, with_label ? label_name(one.label) : row_title(one.id))),
    " ", answer_tag(one),
    one.text && !one.image ? make("span", {class: "text-line"}, one.text) : null,
    make("small", {}, (with_label ? `${row_title(one.id)}, ` : "") +
      (one.confidence === null ? "probability not known" : `probability ${percent(one.confidence)}`)));
}

function open_row(one) {
  document.querySelector("dialog[open]")?.close();
  enter_cards();
  const label = one.label ?? state.item.label;
  return working(async () => show(await ask("/api/item", {...asking(), row: one.row, label})));
}

function show_evidence(item) {
  show_content(item);
  show_people(item);
  show_guideline(item.label);
  by_id("similar-box").hidden = item.similar.length === 0;
  by_id("similar").classList.toggle("thumbs", item.similar.length > 0 && item.similar.every(one => one.image));
  by_id("similar").replaceChildren(...item.similar.map(one => row_line(one, false)));
  by_id("verdicts").replaceChildren(...item.verdicts.map(one => make("p", {},
    make("b", {}, one.reviewer), ` said ${one.answer}`, one.rule ? ` (rule: ${one.rule})` : "",
    one.note ? `: ${one.note}` : "", ` · ${one.made.replace("T", " ").replace("Z", " UTC")}`)));
}
