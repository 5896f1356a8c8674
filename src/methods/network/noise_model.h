#pragma once

#include <span>
#include <vector>

#include "labelsieve/crowd.h"
#include "labelsieve/labels.h"
#include "labelsieve/matrix.h"
#include "methods/shared/targets.h"

namespace sieve {

// How candidates come about: a right label is always a candidate, an irrelevant label k becomes one
// with probability rate[k]. So P(candidate | x) = F + (1 - F) rate, and a candidate is noise with
// probability  Delta* = rate (1 - F) / (F + rate (1 - F)).
struct NoiseModel {
  std::vector<float> rate;  // 0 takes every candidate as right

  // The probability that a label is right before anything is known but its candidate frequency.
  std::vector<float> prior;
};

// rate_k = min(share * mean frequency, 0.9 * frequency of k), from the targets alone. share = 0: no
// noise is assumed. Beliefs have none whatever the share.
NoiseModel guess_noise(const Targets& targets, std::span<const std::size_t> rows, double share);

// With these rates, as far as the labels' frequencies allow them.
NoiseModel known_noise(const Targets& targets, std::span<const std::size_t> rows,
                       std::span<const float> rates);

// Rates of single labels: log-odds of `rate`, which is that of all labels together, plus half of
// how far the label is from the others on held-out rows. These say nothing of the level: where
// wrong ticks follow the features, or features are weak, rates come out too low.
NoiseModel learn_noise(const Targets& targets, std::span<const std::size_t> rows, double rate,
                       const UnionModel& found);

// Delta* from the predictor's logit: sigmoid(log rate - f).
float noise_posterior(float rate, float logit);

// -log P(candidate or not | x), the loss of one cell under the noise model. Between 0 and 1 a
// target says how likely there is a candidate.
double cell_loss(float rate, float logit, float target);

// 1 - Delta* of candidates from the probability that they are right; 0 for what is not one. Where
// the rate is 0, nothing is known of how candidates come about: it is the probability itself.
Matrix confidence_of(Matrix right, std::span<const float> rate, const LabelMatrix& candidates);

}  // namespace sieve
