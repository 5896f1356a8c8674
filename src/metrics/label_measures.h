#pragma once

#include <cstddef>
#include <vector>

#include "labelsieve/labels.h"

namespace sieve {

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
