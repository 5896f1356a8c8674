#include "report/html_table.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "base/format_text.h"

namespace sieve {
namespace {

Element title_of(const HtmlColumn& column) {
  Element button("button");
  button.set("type", "button");
  if (!column.help.empty()) button.set("title", column.help);
  button.add_text(column.title);
  Element cell("th");
  cell.set("scope", "col");
  if (column.numbers) cell.set("class", "number");
  cell.add(button);
  if (column.shares)
    cell.add(Element("span")
                 .set("class", "axis")
                 .set("aria-hidden", "true")
                 .add(with_text("i", "0"))
                 .add(with_text("i", "100\u00a0%")));
  return cell;
}

// The text of the cell says the same.
Element range_of(const HtmlCell::Range& range, double value) {
  Element line("span");
  line.set("class", range.measured ? "range measured" : "range").set("aria-hidden", "true");
  line.set("style", fmt::format("--low:{:.3f};--high:{:.3f};--share:{:.3f}", range.low, range.high,
                                std::clamp(value, 0.0, 1.0)));
  return line.add(Element("i")).add(Element("b"));
}

Element content_of(const HtmlCell& cell, const HtmlColumn& column, bool first) {
  Element out(first ? "th" : "td");
  std::string classes = column.numbers ? "number" : "";
  if (first) out.set("scope", "row");
  if (cell.bar && !cell.range && std::isfinite(*cell.bar)) {
    classes += " bar";
    out.set("style", fmt::format("--share:{:.3f}", std::clamp(*cell.bar, 0.0, 1.0)));
  }
  if (!classes.empty()) out.set("class", classes);
  if (cell.value && std::isfinite(*cell.value))
    out.set("data-value", fmt::format("{}", *cell.value));
  if (!column.numbers) out.set("dir", "auto");
  if (cell.strong)
    out.add(with_text("strong", cell.text));
  else
    out.add_text(cell.text);
  if (!cell.note.empty()) out.add(with_text("small", cell.note));
  if (cell.range) out.add(range_of(*cell.range, cell.bar.value_or(cell.range->low)));
  return out;
}

}  // namespace

HtmlCell number_cell(double value, int places) {
  if (!std::isfinite(value)) return {.text = value_text(value)};
  return {.text = fmt::format("{:.{}f}", value, places), .value = value};
}

HtmlCell count_cell(std::size_t count) {
  return {.text = std::to_string(count), .value = static_cast<double>(count)};
}

HtmlCell percent_cell(double share) {
  if (!std::isfinite(share)) return {.text = value_text(share)};
  return {.text = percent_text(share), .value = share, .bar = share};
}

HtmlCell probability_cell(double probability) {
  return {.text = percent_text(probability), .value = probability};
}

HtmlCell text_cell(std::string text) {
  return {.text = std::move(text)};
}

Element draw(const HtmlTable& table) {
  Element titles("tr"), head("thead"), body("tbody");
  for (const HtmlColumn& column : table.columns) titles.add(title_of(column));
  for (const auto& cells : table.rows) {
    Element row("tr");
    for (std::size_t c = 0; c < cells.size(); ++c)
      row.add(content_of(cells[c], table.columns[c], c == 0));
    body.add(row);
  }
  Element out("table"), frame("div");
  out.set("aria-label", table.caption).add(head.add(titles)).add(body);
  // Not a region: many tables of a page have the same name, and landmarks must differ.
  frame.set("class", "scroll").set("tabindex", "0").set("role", "group");
  frame.set("aria-label", table.caption).add(out);
  return Element("div")
      .set("class", "table")
      .add(with_text("p", table.caption, "caption"))
      .add(frame);
}

}  // namespace sieve
