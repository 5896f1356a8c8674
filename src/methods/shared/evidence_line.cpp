#include "methods/shared/evidence_line.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "methods/network/noise_model.h"
#include "nn/functions.h"

namespace sieve {
namespace {

constexpr double kLeastPrior = 0.02;

}  // namespace

void EvidenceLine::make_probabilities(Matrix& said) const {
  for (std::size_t i = 0; i < said.rows(); ++i)
    for (std::size_t k = 0; k < said.cols(); ++k)
      said(i, k) = sigmoid(offset[k] + slope * said(i, k));
}

std::vector<double> label_frequencies(const Targets& targets) {
  const std::size_t labels = targets.labels();
  std::vector<double> frequency(labels);
  double all = 0;
  for (std::size_t i = 0; i < targets.rows(); ++i) {
    const double weight = double{targets.weight(i)};
    all += weight;
    targets.for_each(i,
                     [&](std::size_t k, float target) { frequency[k] += weight * double{target}; });
  }
  for (double& f : frequency) f /= all;
  const double mean =
      std::accumulate(frequency.begin(), frequency.end(), 0.0) / static_cast<double>(labels);
  double spread = 0, by_chance = 0;
  for (const double f : frequency) {
    spread += (f - mean) * (f - mean);
    by_chance += f * (1 - f) / all;
  }
  const double trust = spread > by_chance ? 1 - by_chance / spread : 0;
  for (double& f : frequency) f = mean + trust * (f - mean);
  return frequency;
}

EvidenceLine fit_evidence_line(const Matrix& said, const Targets& targets,
                               std::span<const std::size_t> rows, std::span<const double> frequency,
                               std::span<const float> rates) {
  EvidenceLine line;
  for (std::size_t k = 0; k < frequency.size(); ++k) {
    const double rate = double{rates[k]};
    const double prior =
        std::clamp((frequency[k] - rate) / (1 - rate), kLeastPrior, 1 - kLeastPrior);
    line.offset.push_back(static_cast<float>(std::log(prior / (1 - prior))));
  }
  double squares = 0;
  for (std::size_t p = 0; p < rows.size(); ++p)
    for (const float value : said.row(p)) squares += double{value} * double{value};
  if (squares == 0) return line;
  const double usual = std::sqrt(squares / static_cast<double>(rows.size() * said.cols()));
  double best = 0;
  // From a seventh of the usual spread to twelve times as much, by quarters of e.
  for (int step = -8; step <= 10; ++step) {
    const auto slope = static_cast<float>(std::exp(step / 4.0) / usual);
    double loss = 0;
    for (std::size_t p = 0; p < rows.size(); ++p)
      for (std::size_t k = 0; k < said.cols(); ++k)
        loss += double{targets.weight(rows[p])} *
                cell_loss(rates[k], line.offset[k] + slope * said(p, k), targets(rows[p], k));
    if (line.slope == 0 || loss < best) line.slope = slope, best = loss;
  }
  return line;
}

}  // namespace sieve
