#pragma once

#include <span>
#include <vector>

#include "labelsieve/labels.h"
#include "labelsieve/matrix.h"

namespace sieve {

// How candidates come about: a right label is always a candidate, an irrelevant label k becomes one
// with probability rate[k]. So P(candidate | x) = F + (1 - F) rate, and a candidate is noise with
// probability  Delta* = rate (1 - F) / (F + rate (1 - F)).
struct NoiseModel {
  std::vector<float> rate;  // 0 takes every candidate as right

  // The probability that a label is right before anything is known but its candidate frequency.
  std::vector<float> prior;
};

// rate_k = min(share * mean frequency, 0.9 * frequency of k), from candidates alone. share = 0: no
// noise is assumed.
NoiseModel guess_noise(const LabelMatrix& candidates, std::span<const std::size_t> rows,
                       double share);

// The share for candidates that several people agree on (TrainingData::trusted).
inline constexpr double kTrustedShare = 0.05;

// Delta* from the predictor's logit: sigmoid(log rate - f).
float noise_posterior(float rate, float logit);

// -log P(candidate or not | x), the loss of one cell under the noise model.
double cell_loss(float rate, float logit, bool candidate);

// 1 - Delta* of candidates from the probability that they are right; 0 for what is not one.
Matrix confidence_of(Matrix right, std::span<const float> rate, const LabelMatrix& candidates);

}  // namespace sieve
