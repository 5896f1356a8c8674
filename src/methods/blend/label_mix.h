#pragma once

#include <span>
#include <vector>

#include "labelsieve/labels.h"
#include "labelsieve/matrix.h"
#include "labelsieve/threads.h"
#include "methods/shared/targets.h"

namespace sieve {

// What the labels of a row say of each other: log-odds become  f_k + offset_k + sum_j f_j
// across_jk.
struct LabelMix {
  Matrix across;              // labels x labels
  std::vector<float> offset;  // one per label
};

// Changes nothing.
LabelMix no_mix(std::size_t labels);

// The mix that makes the targets most likely, given the log-odds of rows that did not take part
// in them; drawn towards none, the more the fewer rows there are. Beyond 128 labels each label is
// adjusted by its own log-odds alone. The same for any number of threads.
LabelMix learn_label_mix(const Matrix& log_odds, std::span<const float> rate,
                         const Targets& targets, ThreadPool& pool);

void apply(const LabelMix& mix, ThreadPool& pool, Matrix& log_odds);

}  // namespace sieve
