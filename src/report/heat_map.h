#pragma once

#include <string>
#include <vector>

#include "report/markup.h"

namespace sieve {

// A value for two of the names, each pair once, in any order.
struct HeatCell {
  std::size_t first = 0, second = 0;  // places in `names`
  double value = 0;                   // finite
  std::string tip{};
};

struct HeatMap {
  std::string title, note;
  std::vector<std::string> names;  // rows and columns alike; about 30 can be told apart
  std::vector<HeatCell> cells;     // pairs without one stay blank
};

// A square with a cell for every two names, the darker the larger the value. Names at the left,
// their numbers at the top.
Element draw(const HeatMap& map);

}  // namespace sieve
