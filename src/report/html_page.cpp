#include "report/html_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/format_text.h"
#include "labelsieve/error.h"

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

HtmlPage::HtmlPage(std::string kind, std::string title, std::string lead)
    : title_(std::move(title)) {
  Element header("header");
  header.add(with_text("p", kind, "kind")).add(with_text("h1", title_).set("dir", "auto"));
  if (!lead.empty()) header.add(with_text("p", lead, "lead"));
  add(header);
}

void HtmlPage::add_headlines(const std::vector<Headline>& headlines) {
  Element list("div");
  list.set("class", "headlines");
  for (const Headline& headline : headlines) {
    const bool guess = headline.basis.starts_with("guess"),
               audited = headline.basis.starts_with("audited");
    list.add(with_text("p", headline.sentence, "headline").set("dir", "auto"));
    list.add(with_text("p", headline.basis,
                       guess     ? "basis guess"
                       : audited ? "basis audited"
                                 : "basis"));
  }
  add(list);
}

void HtmlPage::begin_section(std::string_view title, std::string_view introduction) {
  const std::string id = fmt::format("section{}", ++sections_);
  if (sections_ > 1) body_ += "</section>\n";
  body_ += fmt::format("<section aria-labelledby=\"{}\">\n", id);
  add(Element("h2").set("id", id).add_text(title));
  if (!introduction.empty()) add(with_text("p", introduction, "introduction"));
  contents_ += Element("a").set("href", "#" + id).add_text(title).text() + "\n";
}

Element figure_grid(const std::vector<Element>& figures) {
  Element grid("div");
  grid.set("class", "figures");
  for (const Element& figure : figures) grid.add(figure);
  return grid;
}

void HtmlPage::add_details(std::string_view summary, const std::vector<Element>& content) {
  Element details("details");
  details.add(with_text("summary", summary));
  for (const Element& element : content) details.add(element);
  add(details);
}

std::string HtmlPage::text() const {
  const std::size_t header_end = body_.find("</header>\n") + 10;
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
      "style-src 'unsafe-inline'; script-src '{}'\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n"
      "<title>{}</title>\n<style>{}</style>\n</head>\n<body>\n<main>\n{}<nav>\n{}</nav>\n{}{}"
      "<footer>Made by LabelSieve {}.</footer>\n</main>\n<script>{}</script>\n</body>\n</html>\n",
      kPageScriptHash, escaped(title_), kPageStyle, body_.substr(0, header_end), contents_,
      body_.substr(header_end), sections_ > 0 ? "</section>\n" : "", version(), kPageScript);
}

Element fact_list(const std::vector<std::pair<std::string, std::string>>& facts) {
  Element list("dl");
  list.set("class", "facts");
  for (const auto& [name, value] : facts)
    list.add(with_text("dt", name)).add(Element("dd").set("dir", "auto").add_text(value));
  return list;
}

Element bullet_list(const std::vector<std::string>& lines) {
  Element list("ul");
  for (const std::string& line : lines) list.add(with_text("li", line));
  return list;
}

}  // namespace sieve
