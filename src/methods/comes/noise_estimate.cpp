#include "methods/comes/noise_estimate.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

namespace sieve {
namespace {

constexpr double kLargestRate = 0.98;  // rows without the candidate count at most 50 times

// The share of rows without candidate j in the best bin, at least that in all rows.
double best_share(const Matrix& scores, const LabelMatrix& candidates, std::size_t j,
                  std::vector<std::size_t>& order) {
  std::ranges::sort(order, {}, [&](std::size_t i) { return std::pair(scores(i, j), i); });
  const double caution = std::log(static_cast<double>(order.size()));
  double best_bound = std::numeric_limits<double>::lowest(), best = 0, without = 0;
  for (std::size_t k = 0; k < order.size(); ++k) {
    without += candidates.get(order[k], j) ? 0 : 1;
    const bool tied = k + 1 < order.size() && scores(order[k], j) == scores(order[k + 1], j);
    if (tied) continue;  // a bin has all rows of a score
    const double count = static_cast<double>(k + 1), share = without / count;
    // The last term keeps bins of few rows, which are easily pure by chance, from winning.
    const double bound = share - std::sqrt(caution * share * (1 - share) / count) - caution / count;
    if (bound > best_bound) best_bound = bound, best = share;
  }
  return std::max(best, without / static_cast<double>(order.size()));
}

}  // namespace

NoiseModel estimate_noise(const Matrix& scores, const LabelMatrix& candidates) {
  const double rows = static_cast<double>(candidates.rows());
  const std::vector<std::size_t> counts = candidates.label_counts();
  std::vector<std::size_t> order(candidates.rows());
  std::iota(order.begin(), order.end(), std::size_t{0});
  NoiseModel noise;
  for (std::size_t j = 0; j < counts.size(); ++j) {
    const double frequency = static_cast<double>(counts[j]) / rows;
    // A label that every row has may as well be right everywhere: nothing tells.
    const double rate =
        frequency == 1 ? 0 : std::min(1 - best_share(scores, candidates, j, order), kLargestRate);
    const double prior = std::max((frequency - rate) / (1 - rate), 1 / rows);
    noise.rate.push_back(static_cast<float>(rate));
    noise.prior.push_back(static_cast<float>(prior));
  }
  return noise;
}

}  // namespace sieve
