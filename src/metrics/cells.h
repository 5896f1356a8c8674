#pragma once

#include <optional>
#include <vector>

namespace sieve {

// A score and whether it belongs to a positive.
template <class T>
struct ScoredCell {
  T score;
  bool positive;
};

// Share of (positive, negative) pairs in the right order, ties counting half. nullopt unless there
// are both kinds. Sorts the cells.
template <class T>
std::optional<double> area_under_roc(std::vector<ScoredCell<T>>& cells);

// Sum over thresholds of precision times gain in recall. nullopt without a positive. Sorts the
// cells.
template <class T>
std::optional<double> step_average_precision(std::vector<ScoredCell<T>>& cells);

}  // namespace sieve
