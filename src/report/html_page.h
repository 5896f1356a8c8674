#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/headlines.h"
#include "report/markup.h"

namespace sieve {

// Figures side by side where there is room.
Element figure_grid(const std::vector<Element>& figures);

// One HTML file that needs nothing else: style and script are inside, and its security policy
// forbids it to load anything or to run any other script.
class HtmlPage {
 public:
  // `kind` is a quiet line above the title.
  HtmlPage(std::string kind, std::string title, std::string lead);

  // What the page has to say, first: sentences, and below each what it is based on.
  void add_headlines(const std::vector<Headline>& headlines);
  // Opens a section; what is added later goes there.
  void begin_section(std::string_view title, std::string_view introduction = {});
  void add(const Element& element) { body_ += element.text() + "\n"; }
  void add_figures(const std::vector<Element>& figures) { add(figure_grid(figures)); }
  // Hidden until asked for.
  void add_details(std::string_view summary, const std::vector<Element>& content);
  void add_paragraph(std::string_view text) { add(with_text("p", text)); }

  std::string text() const;

 private:
  std::string title_, body_, contents_;
  std::size_t sections_ = 0;
};

// Names and values in two columns.
Element fact_list(const std::vector<std::pair<std::string, std::string>>& facts);
Element bullet_list(const std::vector<std::string>& lines);

// What every page carries inside: see page_style.cpp and page_script.cpp.
extern const std::string_view kPageStyle;
extern const std::string_view kPageScript;
// "sha256-..." of the script, by which the page's policy knows it. A browser names the right one
// when it refuses the script.
extern const std::string_view kPageScriptHash;

}  // namespace sieve
