#include <algorithm>
#include <cmath>

#include "base/require.h"
#include "claims/quantiles.h"
#include "labelsieve/claims.h"

namespace sieve {
namespace {

void check(double share, double risk) {
  require(share > 0 && share < 1, "a share to guarantee lies between 0 and 1");
  require(risk > 0 && risk < 1, "a risk lies between 0 and 1");
}

}  // namespace

std::size_t fewest_decisions(double share, double risk) {
  check(share, risk);
  return static_cast<std::size_t>(std::ceil(std::log(risk) / std::log(share)));
}

std::optional<double> precision_threshold(std::span<const ScoredDecision> decided,
                                          std::span<const double> thresholds, double share,
                                          double risk) {
  const std::size_t fewest = fewest_decisions(share, risk);
  std::vector<ScoredDecision> sorted(decided.begin(), decided.end());
  std::ranges::sort(sorted, std::greater{}, &ScoredDecision::score);
  std::optional<double> kept;
  std::size_t above = 0, wrong = 0;
  for (const double threshold : thresholds) {
    for (; above < sorted.size() && sorted[above].score >= threshold; ++above)
      wrong += !sorted[above].right;
    if (above < fewest) continue;
    if (binomial_cdf(wrong, above, 1 - share) > risk) break;
    kept = threshold;
  }
  return kept;
}

std::optional<double> recall_threshold(std::span<const ScoredDecision> decided, double share,
                                       double risk) {
  check(share, risk);
  std::vector<double> right;
  for (const ScoredDecision& each : decided)
    if (each.right) right.push_back(each.score);
  std::ranges::sort(right);
  std::optional<double> kept;
  for (std::size_t k = 0; k < right.size() && binomial_cdf(k, right.size(), 1 - share) <= risk; ++k)
    kept = right[k];
  return kept;
}

}  // namespace sieve
