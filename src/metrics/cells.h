#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "labelsieve/labels.h"

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

// How often a label is true, decided, and both. Quotients are NaN where there is nothing to divide.
struct LabelMeasures {
  std::size_t truth = 0, decided = 0, right = 0;
  double precision() const;
  double recall() const;
  double f1() const;
};
// Without decisions only `truth` is counted.
std::vector<LabelMeasures> count_labels(const LabelMatrix& truth, const LabelMatrix* decisions);

}  // namespace sieve
