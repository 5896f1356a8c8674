#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/headlines.h"
#include "report/markup.h"

namespace sieve {

struct HtmlColumn {
  std::string title;
  bool numbers = false;  // right-aligned and sorted by value
  std::string help{};    // shown under the pointer
  bool shares = false;   // its bars and ranges have an axis from 0 to 100 %
};

struct HtmlCell {
  std::string text{};
  std::optional<double> value{};  // what a column of numbers is sorted by; none goes last
  std::string note{};             // a quiet second line
  bool strong = false;
  std::optional<double> bar{};  // 0 to 1: drawn below the text
  // The range of a claim, drawn around `bar`: solid if it was measured, hatched if it was guessed.
  struct Range {
    double low = 0, high = 1;
    bool measured = false;
  };
  std::optional<Range> range{};
};
// "0.1235"; a dash, sorted last, for NaN.
HtmlCell number_cell(double value, int places = 3);
HtmlCell count_cell(std::size_t count);
HtmlCell percent_cell(double share);  // with a bar
HtmlCell text_cell(std::string text);
// "1.2 %", without a bar.
HtmlCell probability_cell(double probability);

// A table whose columns sort when their title is pressed. The caption names it. Wide tables scroll
// in a frame of their own with the first column in sight.
struct HtmlTable {
  std::string caption;
  std::vector<HtmlColumn> columns;
  std::vector<std::vector<HtmlCell>> rows;
};
Element draw(const HtmlTable& table);

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

// What every page carries inside: see page_assets.cpp.
extern const std::string_view kPageStyle;
extern const std::string_view kPageScript;
// "sha256-..." of the script, by which the page's policy knows it. A browser names the right one
// when it refuses the script.
extern const std::string_view kPageScriptHash;

}  // namespace sieve
