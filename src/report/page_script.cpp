#include "report/html_page.h"

namespace sieve {

const std::string_view kPageScript = R"js(
"use strict";
// Tables: a press on a title sorts by that column, another turns the order; empty cells stay last.
for (const button of document.querySelectorAll("thead button")) button.onclick = () => {
  const title = button.parentNode, body = title.closest("table").tBodies[0];
  const column = title.cellIndex, numbers = title.classList.contains("number");
  const up = title.ariaSort ? title.ariaSort !== "ascending" : !numbers;
  for (const other of title.parentNode.cells) other.removeAttribute("aria-sort");
  title.setAttribute("aria-sort", up ? "ascending" : "descending");
  const key = row => {
    const cell = row.cells[column];
    return numbers ? (cell.dataset.value === undefined ? null : +cell.dataset.value)
                   : cell.textContent;
  };
  const order = (a, b) => a === null ? (b === null ? 0 : 1) : b === null ? -1 :
    (up ? 1 : -1) * (numbers ? a - b : a.localeCompare(b, undefined, {numeric: true}));
  const rows = [...body.rows].map(row => [key(row), row]).sort((a, b) => order(a[0], b[0]));
  body.append(...rows.map(pair => pair[1]));
};
// Figures: the nearest point shows its value.
const tip = document.body.appendChild(document.createElement("div"));
tip.id = "tip";
tip.hidden = true;
const marks = svg => svg.marks ||= [...svg.querySelectorAll("[data-tip],[data-tips]")].flatMap(m => {
  const name = m.dataset.name;
  if (m.dataset.tips) {
    const tips = m.dataset.tips.split("|");
    return [...m.points].map((p, i) => ({x: p.x, y: p.y, name, text: tips[i]}));
  }
  const b = m.getBBox();
  return [{x: b.x + b.width / 2, y: b.y + b.height / 2, name, text: m.dataset.tip, area: b}];
});
const distance = (mark, p) => {
  const a = mark.area;
  if (!a) return Math.hypot(mark.x - p.x, mark.y - p.y);
  return Math.hypot(Math.max(a.x - p.x, 0, p.x - a.x - a.width),
                    Math.max(a.y - p.y, 0, p.y - a.y - a.height));
};
const hide = svg => { tip.hidden = true; svg.querySelector(".here")?.remove(); };
const show = (svg, event) => {
  hide(svg);
  const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
  let best = null, least = 28;
  for (const mark of marks(svg)) {
    const d = distance(mark, at);
    if (d < least) { least = d; best = mark; }
  }
  if (!best) return;
  const here = svg.appendChild(document.createElementNS(svg.namespaceURI, "circle"));
  for (const [name, value] of [["cx", best.x], ["cy", best.y], ["r", 5], ["class", "here"]])
    here.setAttribute(name, value);
  const name = document.createElement("b");
  name.dir = "auto";
  name.textContent = best.name;
  tip.replaceChildren(name, best.text);
  tip.hidden = false;
  const place = new DOMPoint(best.x, best.y).matrixTransform(svg.getScreenCTM());
  const left = Math.min(place.x + 12, innerWidth - tip.offsetWidth - 8);
  const above = place.y - tip.offsetHeight - 10;
  tip.style.left = Math.max(8, left) + "px";
  tip.style.top = (above < 8 ? place.y + 14 : above) + "px";
};
for (const svg of document.querySelectorAll("figure svg")) {
  svg.onpointermove = svg.onpointerdown = event => show(svg, event);
  svg.onpointerleave = () => hide(svg);
}
addEventListener("scroll", () => { tip.hidden = true; }, {passive: true});
)js";

const std::string_view kPageScriptHash = "sha256-YrwChKYKU1/py0INuSwwmHCM0Riqzza/shKdNmZDFHI=";

}  // namespace sieve
