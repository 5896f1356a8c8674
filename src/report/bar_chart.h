#pragma once

#include <string>
#include <vector>

#include "report/markup.h"

namespace sieve {

// Bars of up to a few parts; one part a name in `parts`.
struct BarRow {
  std::string name;
  std::vector<double> parts;  // not negative; NaN counts as 0
};

struct BarChart {
  std::string title, note;
  std::string x_title;
  std::vector<std::string> parts;
  std::vector<BarRow> rows;
};

// Horizontal bars, names at the left.
Element draw(const BarChart& chart);

}  // namespace sieve
