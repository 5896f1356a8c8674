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

// How likely the mean of `rows` shares would be this low, were it really above `limit`: the better
// of Hoeffding's and Bentkus' bounds (learn then test, Angelopoulos et al., 2021).
double chance_of_mean(double mean, std::size_t rows, double limit) {
  if (mean >= limit) return 1;
  const auto n = static_cast<double>(rows);
  const double apart = (mean > 0 ? mean * std::log(mean / limit) : 0) +
                       (1 - mean) * std::log((1 - mean) / (1 - limit));
  // A hair below, so that 3 * (1 / 3) is not more than 1.
  const auto whole = static_cast<std::size_t>(std::ceil(n * mean - 1e-9));
  return std::min(std::exp(-n * apart), std::exp(1.0) * binomial_cdf(whole, rows, limit));
}

struct RowMean {
  double sum = 0;
  std::size_t rows = 0;
  void add(std::size_t bad, std::size_t all) {
    if (all == 0) return;
    sum += static_cast<double>(bad) / static_cast<double>(all);
    ++rows;
  }
  bool at_most(double limit, double risk) const {
    return chance_of_mean(sum / static_cast<double>(rows), rows, limit) <= risk;
  }
};

}  // namespace

std::size_t fewest_decisions(double share, double risk, std::size_t wrong) {
  check(share, risk);
  auto fewest = static_cast<std::size_t>(std::ceil(std::log(risk) / std::log(share)));
  if (wrong > 0)
    while (binomial_cdf(wrong, fewest, 1 - share) > risk) ++fewest;
  return fewest;
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

std::optional<SharedThreshold> shared_precision_threshold(std::span<const ScoredRow> rows,
                                                          std::span<const double> thresholds,
                                                          double share, double risk) {
  const std::size_t fewest = fewest_decisions(share, risk);
  std::optional<SharedThreshold> kept;
  for (const double threshold : thresholds) {
    RowMean mean;
    for (const ScoredRow& row : rows) {
      std::size_t above = 0, wrong = 0;
      for (const ScoredDecision& cell : row)
        if (cell.score >= threshold) ++above, wrong += !cell.right;
      mean.add(wrong, above);
    }
    if (mean.rows < fewest) continue;
    if (!mean.at_most(1 - share, risk)) break;
    kept = {threshold, mean.rows};
  }
  return kept;
}

std::optional<SharedThreshold> shared_recall_threshold(std::span<const ScoredRow> rows,
                                                       std::span<const double> thresholds,
                                                       double share, double risk) {
  const std::size_t fewest = fewest_decisions(share, risk);
  std::optional<SharedThreshold> kept;
  for (std::size_t t = thresholds.size(); t-- > 0;) {
    RowMean mean;
    for (const ScoredRow& row : rows) {
      std::size_t right = 0, missed = 0;
      for (const ScoredDecision& cell : row)
        if (cell.right) ++right, missed += cell.score < thresholds[t];
      mean.add(missed, right);
    }
    if (mean.rows < fewest || !mean.at_most(1 - share, risk)) break;
    kept = {thresholds[t], mean.rows};
  }
  return kept;
}

}  // namespace sieve
