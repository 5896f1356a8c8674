#include "methods/forest/noise_rates.h"

#include <algorithm>
#include <numeric>

namespace sieve {
namespace {

constexpr double kLowest = 0.15;  // of the rows
constexpr double kLargestRate = 0.98;

// The share of candidates k among the `count` rows where they are least likely.
double share_of_lowest(const Matrix& probabilities, const LabelMatrix& candidates, std::size_t k,
                       std::size_t count, std::vector<std::size_t>& order) {
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::nth_element(order, order.begin() + static_cast<std::ptrdiff_t>(count - 1), {},
                           [&](std::size_t i) { return std::pair(probabilities(i, k), i); });
  double ticks = 0;
  for (std::size_t i = 0; i < count; ++i) ticks += candidates.get(order[i], k) ? 1 : 0;
  return ticks / static_cast<double>(count);
}

}  // namespace

std::vector<float> noise_rates(const Matrix& probabilities, const LabelMatrix& candidates) {
  const double rows = static_cast<double>(candidates.rows());
  const auto low = static_cast<std::size_t>(std::max(1.0, kLowest * rows));
  std::vector<std::size_t> order(candidates.rows());
  std::vector<double> shares;
  for (std::size_t k = 0; k < candidates.labels(); ++k)
    shares.push_back(share_of_lowest(probabilities, candidates, k, low, order));

  // Shares are too high, if anything: those of the lower half tell what is common to all labels,
  // and how much labels differ beyond chance.
  std::vector<double> lower = shares;
  std::ranges::sort(lower);
  lower.resize((lower.size() + 1) / 2);
  const double common =
      std::accumulate(lower.begin(), lower.end(), 0.0) / static_cast<double>(lower.size());
  const double by_chance = common * (1 - common) / static_cast<double>(low);
  double spread = 0;
  for (const double share : lower) {
    const double from = share - lower.back();
    spread += from * from / static_cast<double>(lower.size());
  }
  // Twice what chance makes of them is nothing out of the ordinary.
  const double trust = spread > 2 * by_chance ? 1 - 2 * by_chance / spread : 0;
  std::vector<float> rates;
  for (const double share : shares)
    rates.push_back(static_cast<float>(std::min(common + trust * (share - common), kLargestRate)));
  return rates;
}

}  // namespace sieve
