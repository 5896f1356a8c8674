#include "report/html_page.h"

namespace sieve {

// Colours after Okabe and Ito, who chose them for colour-blind eyes; darkened on white and
// lightened on black so that names in these colours are easy to read.
const std::string_view kPageStyle = R"css(
:root{--ink:#1b1f23;--soft:#59636e;--line:#d8dde3;--paper:#fff;--panel:#f6f7f9;--accent:#0067a3;
--c0:#0067a3;--c1:#b84a00;--c2:#00734f;--c3:#9c3f7c;--c4:#8a5d00;--c5:#2f7fb0;--c6:#59636e}
@media screen and (prefers-color-scheme:dark){:root{--ink:#e6e9ec;--soft:#9aa5b1;--line:#333b44;
--paper:#14181c;--panel:#1b2026;--accent:#5cb8ee;
--c0:#5cb8ee;--c1:#f58a4b;--c2:#3ecf9f;--c3:#e59ccb;--c4:#e3b341;--c5:#a3d4f5;--c6:#9aa5b1}}
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%;text-size-adjust:100%}
body{margin:0;background:var(--paper);color:var(--ink);
font:16px/1.55 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans","Liberation Sans",sans-serif;
font-variant-numeric:tabular-nums}
main{max-width:92rem;margin:0 auto;padding:2.5rem 1.5rem 3rem}
p,li,dd,h1,h2{overflow-wrap:anywhere}
p{max-width:52rem;margin:.5rem 0}
.kind{margin:0;color:var(--soft);font-size:.8125rem;letter-spacing:.08em;text-transform:uppercase}
h1{margin:.25rem 0 .5rem;font-size:2rem;line-height:1.2;font-weight:650;letter-spacing:-.01em}
h2{margin:0 0 .5rem;font-size:1.25rem;font-weight:650}
h3{margin:1.5rem 0 .25rem;font-size:1rem;font-weight:650}
.lead{font-size:1.125rem;color:var(--soft)}
.introduction{color:var(--soft)}
.note{color:var(--soft);font-size:.8125rem;margin-top:-.75rem}
a{color:var(--accent)}
nav{display:flex;flex-wrap:wrap;gap:.25rem 1.25rem;margin:1.25rem 0 0;font-size:.9375rem}
nav a{text-decoration:none;padding:.25rem 0}
nav a:hover{text-decoration:underline}
section{margin-top:3rem}
.headlines{margin:1.75rem 0 0}
.headline{max-width:none;margin:1rem 0 .125rem;font-size:1.5rem;line-height:1.25;font-weight:650;letter-spacing:-.01em}
.basis{margin:0;color:var(--soft)}
.basis.audited{color:var(--accent)}
.basis.guess{display:inline-block;padding:0 .375rem;border:1px dashed var(--soft);border-radius:5px}
.facts{display:grid;grid-template-columns:fit-content(40%) 1fr;gap:.25rem 1.5rem;margin:0;
max-width:42rem}
.facts dt{color:var(--soft)}
.facts dd{margin:0}
.figures{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,22rem),1fr));
gap:2rem 1.75rem;margin:1.25rem 0;align-items:start}
figure{margin:0;min-width:0;max-width:36rem;break-inside:avoid}
figcaption{line-height:1.35;margin-bottom:.5rem}
figcaption strong{display:block;font-weight:600}
figcaption span{color:var(--soft);font-size:.8125rem}
svg{display:block;width:100%;height:auto;font-size:11px}
svg text{fill:var(--ink);unicode-bidi:isolate}
svg .tick{fill:var(--soft)}
svg .end{text-anchor:end}
svg .middle{text-anchor:middle}
.grid{stroke:var(--line);stroke-width:1;shape-rendering:crispEdges}
.guide{stroke:var(--soft);stroke-width:1;stroke-dasharray:3 3}
.axis{stroke:var(--soft);stroke-width:1;fill:none}
.difference{stroke:var(--soft);stroke-width:2}
.group{stroke:var(--ink);stroke-width:4;stroke-linecap:round}
.c0{--c:var(--c0)}.c1{--c:var(--c1)}.c2{--c:var(--c2)}.c3{--c:var(--c3)}.c4{--c:var(--c4)}
.c5{--c:var(--c5)}.c6{--c:var(--c6)}.ink{--c:var(--ink)}
svg .name{fill:var(--c,var(--ink))}
.line{fill:none;stroke:var(--c);stroke-width:1.75;stroke-linejoin:round;stroke-linecap:round}
.dash1{stroke-dasharray:5 3}.dash2{stroke-dasharray:2 3}
.dot{fill:var(--c);stroke:var(--paper);stroke-width:1;stroke-dasharray:none}
.bar{fill:var(--c)}
.box{fill:color-mix(in srgb,var(--c) 25%,var(--paper));stroke:var(--c);stroke-width:1;
stroke-dasharray:none}
.whisker{stroke:var(--c);stroke-width:1;stroke-dasharray:none}
.median{stroke:var(--c);stroke-width:2.5;stroke-dasharray:none}
.here{fill:none;stroke:var(--ink);stroke-width:1.5;pointer-events:none}
.table{margin:1.25rem 0;border:1px solid var(--line);border-radius:8px;
min-width:0;overflow:hidden}
.scroll{overflow-x:auto;
background:linear-gradient(to left,var(--paper) 1.5rem,transparent) right/3rem 100% no-repeat local,
linear-gradient(to left,var(--line),transparent) right/1rem 100% no-repeat scroll}
.scroll:focus-visible,button:focus-visible{outline:2px solid var(--accent);outline-offset:-2px}
table{border-collapse:separate;border-spacing:0;min-width:100%;font-size:.875rem;line-height:1.4}
.caption{margin:0;padding:.625rem .75rem;font-weight:600;font-size:.9375rem}
.figures .table{margin:0}
th,td{padding:.375rem .75rem;text-align:left;vertical-align:top;border-top:1px solid var(--line);
unicode-bidi:isolate}
td{white-space:nowrap}
tbody th{font-weight:400;overflow-wrap:anywhere;min-width:8rem;max-width:16rem;
position:sticky;left:0;background:var(--paper)}
td[dir]{white-space:normal;overflow-wrap:anywhere;min-width:6rem;max-width:48rem}
thead th{position:sticky;top:0;z-index:1;padding:0;background:var(--panel);border-top:0}
thead th:first-child{left:0;z-index:2}
thead button{all:unset;position:relative;box-sizing:border-box;width:100%;padding:.5rem .75rem;cursor:pointer;
font-weight:600;color:var(--soft);white-space:nowrap}
thead button:hover{color:var(--ink)}
thead button::after{position:absolute;right:.1rem}
th[aria-sort=ascending] button::after{content:"\2191"}
th[aria-sort=descending] button::after{content:"\2193"}
th[aria-sort] button{color:var(--ink)}
.number,.number button{text-align:right}
th small,td small{display:block;color:var(--soft);font-size:.75rem}
td.bar{padding-bottom:.625rem;background:linear-gradient(var(--accent),var(--accent)) .75rem
calc(100% - .3rem)/calc(var(--share)*(100% - 1.5rem)) 3px no-repeat}
thead .axis{display:flex;justify-content:space-between;padding:0 .75rem .25rem;font-size:.75rem;
font-weight:400;color:var(--soft)}
.axis i{font-style:normal}
td .range{display:block;position:relative;height:.75rem;margin:.125rem 0 .125rem;min-width:6rem;
border-bottom:1px solid var(--line)}
.range i,.range b{print-color-adjust:exact}
.range i{position:absolute;top:.1875rem;bottom:.0625rem;left:calc(100%*var(--low));
width:calc(100%*(var(--high) - var(--low)));min-width:2px;
background:repeating-linear-gradient(135deg,var(--soft) 0 1px,transparent 1px 4px);border:1px solid var(--soft)}
.range b{position:absolute;top:.1875rem;left:calc(100%*var(--share) - .25rem);width:.5rem;height:.5rem;
border:2px solid var(--soft);border-radius:50%;background:var(--paper)}
.range.measured i{background:var(--accent);border-color:var(--accent);opacity:.5}
.range.measured b{border-color:var(--accent);background:var(--accent)}
tbody th.number{min-width:0}
tbody tr:hover>*{background-color:var(--panel)}
details{margin:.5rem 0}
summary{cursor:pointer;color:var(--accent);padding:.25rem 0}
footer{margin-top:4rem;padding-top:1rem;border-top:1px solid var(--line);color:var(--soft);
font-size:.8125rem}
#tip{position:fixed;z-index:9;max-width:16rem;padding:.375rem .625rem;border-radius:6px;
background:var(--ink);color:var(--paper);font-size:.8125rem;line-height:1.35;pointer-events:none;
overflow-wrap:anywhere}
#tip b{display:block;font-weight:600;unicode-bidi:isolate}
@media (max-width:40rem){main{padding:1.5rem 1rem 2rem}h1{font-size:1.625rem}
.headline{font-size:1.25rem}
th,td{padding:.375rem .5rem}thead button{padding:.5rem}
tbody th{min-width:6.5rem;max-width:8rem}.caption{padding:.625rem .5rem}
.facts{gap:.25rem 1rem}}
@media (max-width:26rem){th,td{padding:.375rem .3rem}tbody th{min-width:4.5rem}}
@page{size:A4;margin:16mm}
@media print{body{font-size:10pt}main{max-width:none;padding:0}nav,#tip{display:none}
.table,.scroll{max-height:none;overflow:visible}thead th,tbody th{position:static}
section{margin-top:1.5rem}.figures{grid-template-columns:repeat(2,1fr)}
tr,figure{break-inside:avoid}}
)css";

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
