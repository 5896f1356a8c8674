#pragma once

#include <span>
#include <string>
#include <vector>

#include "report/markup.h"

namespace sieve {

// Quartiles as most libraries give them (linear between order statistics); whiskers reach the
// farthest values within 1.5 times the box.
struct BoxSummary {
  double low = 0, first = 0, median = 0, third = 0, high = 0;
  std::vector<double> outliers;
};
// NaN values do not count; at least one value must be left.
BoxSummary summarise_box(std::span<const double> values);

struct BoxRow {
  std::string name;
  std::size_t colour = 0;
  std::vector<double> values;
};

struct BoxPlot {
  std::string title, note;
  std::string x_title;
  std::vector<BoxRow> rows;
};

// One box a row, names at the left.
Element draw(const BoxPlot& plot);

}  // namespace sieve
