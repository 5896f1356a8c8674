#include "methods/pml_lc_fp/confidence_step.h"

#include <algorithm>

namespace sieve {
namespace {

constexpr std::size_t kMostRounds = 10;
constexpr double kLeastChange = 1e-6;
constexpr double kShortestStep = 1e-3;

}  // namespace

MatrixD label_similarity(const CandidateLists& lists) {
  MatrixD shared(lists.labels, lists.labels), out(lists.labels, lists.labels);
  for (std::size_t i = 0; i < lists.rows(); ++i)
    for (const std::size_t k : lists.of(i))
      for (const std::size_t l : lists.of(i)) shared(k, l) += 1;
  for (std::size_t k = 0; k < lists.labels; ++k)
    for (std::size_t l = 0; l < lists.labels; ++l)
      if (k != l && shared(k, l) > 0)
        out(k, l) = shared(k, l) / (shared(k, k) + shared(l, l) - shared(k, l));
  return out;
}

ConfidenceStep::Change ConfidenceStep::improve(std::size_t row, std::span<const double> scores,
                                               std::span<double> confidence) {
  set_losses(row, scores);
  double value = objective(row, confidence);
  const double before = value;
  const std::size_t rounds = terms_.correlation > 0 ? kMostRounds : 1;
  for (std::size_t round = 0; round < rounds; ++round)
    if (!descend(row, value, confidence)) break;
  return {before, value};
}

void ConfidenceStep::set_losses(std::size_t row, std::span<const double> scores) {
  const std::span<const std::uint32_t> candidates = lists_.of(row);
  const double weight = terms_.weight * lists_.pair_weight(row);
  losses_.resize(candidates.size());
  inside_.assign(lists_.labels, 0);
  for (const std::size_t k : candidates) inside_[k] = 1;
  const auto loss = [&](std::size_t k, std::size_t l) {
    return weight * std::max(0.0, 1 - scores[k] + scores[l]);
  };
  for (std::size_t c = 0; c < candidates.size(); ++c) {
    if (!terms_.charge.empty()) losses_.cost[c] = lists_.part(terms_.charge, row)[c];
    for (std::size_t l = 0; l < lists_.labels; ++l)
      if (inside_[l] == 0) losses_.cost[c] += loss(candidates[c], l);
    for (std::size_t e = 0; e < candidates.size(); ++e)
      if (e != c) losses_.pair(c, e) = loss(candidates[c], candidates[e]);
  }
}

// sum_l similarity_kl P_l for the k-th candidate.
double ConfidenceStep::similarity(std::size_t row, std::size_t k,
                                  std::span<const double> confidence) const {
  const std::span<const std::uint32_t> candidates = lists_.of(row);
  double sum = 0;
  for (std::size_t l = 0; l < candidates.size(); ++l)
    sum += terms_.similarity(candidates[k], candidates[l]) * confidence[l];
  return sum;
}

double ConfidenceStep::objective(std::size_t row, std::span<const double> confidence) const {
  double value = losses_.of(confidence);
  if (terms_.correlation == 0) return value;
  for (std::size_t k = 0; k < confidence.size(); ++k)
    value -= terms_.correlation * confidence[k] * similarity(row, k, confidence);
  return value;
}

// One step towards the best confidences of the problem linearised here: half as far until the
// objective falls. False when nothing worth it is left.
bool ConfidenceStep::descend(std::size_t row, double& value, std::span<double> confidence) {
  linear_ = losses_;
  if (terms_.correlation > 0)
    for (std::size_t k = 0; k < confidence.size(); ++k)
      linear_.cost[k] -= 2 * terms_.correlation * similarity(row, k, confidence);
  target_.resize(confidence.size());
  trial_.resize(confidence.size());
  rule_.solve(linear_, target_);
  for (double step = 1; step >= kShortestStep; step /= 2) {
    for (std::size_t k = 0; k < confidence.size(); ++k)
      trial_[k] = confidence[k] + step * (target_[k] - confidence[k]);
    const double there = objective(row, trial_);
    if (there >= value) continue;
    const bool worth = value - there > kLeastChange;
    value = there;
    std::ranges::copy(trial_, confidence.begin());
    return worth;
  }
  return false;
}

}  // namespace sieve
