#include "report/html_page.h"

#include <utility>

#include <fmt/format.h>

#include "labelsieve/error.h"

namespace sieve {

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
