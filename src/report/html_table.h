#pragma once

#include <optional>
#include <string>
#include <vector>

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

}  // namespace sieve
