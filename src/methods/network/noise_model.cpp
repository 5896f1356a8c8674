#include "methods/network/noise_model.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "crowd/log_odds.h"
#include "nn/functions.h"

namespace sieve {
namespace {

constexpr double kTrust = 0.5;  // in what held-out rows tell of single labels

double kept_below(double rate, double frequency) {
  return std::clamp(std::min(rate, 0.9 * frequency), 0.01, 0.98);
}

std::vector<double> frequencies(const Targets& targets, std::span<const std::size_t> rows) {
  std::vector<double> frequency(targets.labels());
  double all = 0;
  for (const std::size_t i : rows) {
    const double weight = double{targets.weight(i)};
    all += weight;
    targets.for_each(i,
                     [&](std::size_t k, float target) { frequency[k] += weight * double{target}; });
  }
  for (double& f : frequency) f /= rows.empty() ? 1 : all;
  return frequency;
}

void add_label(NoiseModel& noise, double frequency, double rate) {
  const double prior = std::clamp((frequency - rate) / (1 - rate), 0.02, 0.98);
  noise.rate.push_back(static_cast<float>(rate));
  noise.prior.push_back(static_cast<float>(prior));
}

}  // namespace

NoiseModel guess_noise(const Targets& targets, std::span<const std::size_t> rows, double share) {
  const std::vector<double> frequency = frequencies(targets, rows);
  const double mean = std::accumulate(frequency.begin(), frequency.end(), 0.0) /
                      static_cast<double>(std::max<std::size_t>(frequency.size(), 1));
  NoiseModel noise;
  for (const double f : frequency)
    add_label(noise, f,
              share > 0 && !targets.are_probabilities() ? kept_below(share * mean, f) : 0);
  return noise;
}

NoiseModel known_noise(const Targets& targets, std::span<const std::size_t> rows,
                       std::span<const float> rates) {
  NoiseModel noise;
  for (const double f : frequencies(targets, rows))
    add_label(noise, f, kept_below(double{rates[noise.rate.size()]}, f));
  return noise;
}

NoiseModel learn_noise(const Targets& targets, std::span<const std::size_t> rows, double rate,
                       const UnionModel& found) {
  double mean = 0;
  for (const UnionLabel& label : found.labels)
    mean += log_odds_of(label.false_positive_rate.value) / static_cast<double>(found.labels.size());
  NoiseModel noise;
  for (const double f : frequencies(targets, rows)) {
    const double beyond =
        log_odds_of(found.labels[noise.rate.size()].false_positive_rate.value) - mean;
    add_label(noise, f, kept_below(probability_of(log_odds_of(rate) + kTrust * beyond), f));
  }
  return noise;
}

float noise_posterior(float rate, float logit) {
  return rate > 0 ? 1.0F / (1.0F + exponential(logit) / rate) : 0.0F;
}

double cell_loss(float rate, float logit, float target) {
  const double f = logit, r = rate, t = target;
  const auto without = [&] { return softplus(f) - std::log1p(-r); };
  const auto with = [&] {
    return r == 0 ? softplus(-f) : -std::log(r + (1 - r) / (1 + std::exp(-f)));
  };
  if (t == 0) return without();
  return t == 1 ? with() : t * with() + (1 - t) * without();
}

Matrix confidence_of(Matrix right, std::span<const float> rate, const LabelMatrix& candidates) {
  for (std::size_t i = 0; i < right.rows(); ++i)
    for (std::size_t k = 0; k < right.cols(); ++k) {
      const float f = right(i, k), wrong = (rate[k] > 0 ? rate[k] : 1) * (1 - f);
      right(i, k) = candidates.get(i, k) && f > 0 ? f / (f + wrong) : 0.0F;
    }
  return right;
}

}  // namespace sieve
