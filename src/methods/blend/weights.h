#pragma once

#include <span>
#include <vector>

#include "labelsieve/labels.h"
#include "labelsieve/matrix.h"
#include "labelsieve/threads.h"
#include "methods/shared/targets.h"

namespace sieve {

// What a part of a blend says of rows it did not see: how likely each label is right there, and at
// what rates others become candidates.
struct Judgement {
  const Matrix* right;
  std::span<const float> rate;  // one per label
};

// Log-odds of a probability, which is kept this far inside (0, 1).
constexpr float kSureOdds = 1e-6F;
float log_odds(float probability);

// Adds `weight` times the log-odds.
void add_log_odds(const Matrix& right, float weight, ThreadPool& pool, Matrix& sums);

// How much each part counts in the mean of log-odds (at least 0, together 1): what makes the
// targets of unseen rows most likely, drawn towards equal weights, the more the fewer rows there
// are. 0 for a part that tells far less than the best one, or next to nothing beside the others.
std::vector<float> learn_weights(std::span<const Judgement> parts, const Targets& targets,
                                 ThreadPool& pool);

// The same, but the last part is weighed against all others together, drawn towards a third. It
// does not count if it alone makes the targets far less likely than the first `rivals` parts do;
// with `only_far_ahead` unless it makes them clearly more likely.
std::vector<float> learn_weights_with_last(std::span<const Judgement> parts, std::size_t rivals,
                                           bool only_far_ahead, const Targets& targets,
                                           ThreadPool& pool);

}  // namespace sieve
