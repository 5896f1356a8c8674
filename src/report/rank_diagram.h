#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "report/markup.h"

namespace sieve {

// Mean ranks of methods, 1 the best, and how far apart two must be to differ (Demsar, 2006).
struct RankDiagram {
  std::string title, note;
  std::vector<std::string> names;
  std::vector<double> mean_ranks;  // one a name
  double critical_difference = 0;
  std::vector<std::vector<std::size_t>> groups;  // indices of methods that do not differ
};

// The critical-difference diagram: methods on a line of ranks, bars join those that do not differ.
Element draw(const RankDiagram& diagram);

}  // namespace sieve
