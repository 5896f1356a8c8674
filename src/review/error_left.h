#pragma once

#include <cstddef>
#include <vector>

#include "review/cell_probabilities.h"
#include "review/ledger.h"

namespace sieve {

// How much is still wrong, and what more decisions would make of it.
struct ErrorLeft {
  std::size_t labels_on = 0;  // ticks that still stand and labels that were added
  Estimate wrong;             // of these, how many are wrong
  Estimate share;             // the same as a share
  double missing = 0;         // labels that are off and should be on, among the cells of the review
  struct Point {
    std::size_t decisions = 0;  // from now on
    double share = 0;
  };
  std::vector<Point> ahead;  // if the most suspicious ones are decided first
  // Decisions until at most that share is wrong; npos if even all of them would not do.
  static constexpr std::size_t npos = static_cast<std::size_t>(-1);
  std::size_t until(double at_most) const;
};

// Costs a pass over all cells.
ErrorLeft error_left(const ReviewCells& cells, const CellProbabilities& probabilities,
                     std::span<const DecidedCell> decided);

}  // namespace sieve
