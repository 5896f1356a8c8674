#include <algorithm>
#include <cmath>

#include "base/require.h"
#include "claims/log_odds.h"
#include "claims/quantiles.h"
#include "labelsieve/claims.h"

namespace sieve {
namespace {

using claims::logistic;
using claims::logit;

constexpr double kLeastDeviation = 0.8;
constexpr std::size_t kManyCrowds = 8;
constexpr double kEdge = 1e-4;  // shares beyond it count as it

double safe_logit(double share) {
  return logit(std::clamp(share, kEdge, 1 - kEdge));
}

double mean_of(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

double squares_around(const std::vector<double>& values, double mean) {
  double sum = 0;
  for (const double value : values) sum += (value - mean) * (value - mean);
  return sum;
}

std::vector<double> differences(const ReferenceCrowd& crowd) {
  require(crowd.real.size() == crowd.estimated.size() && !crowd.real.empty(),
          "a reference crowd has a real share for every estimated one");
  std::vector<double> all;
  for (std::size_t i = 0; i < crowd.real.size(); ++i)
    all.push_back(safe_logit(crowd.real[i]) - safe_logit(crowd.estimated[i]));
  return all;
}

}  // namespace

GuessSpread guess_spread(std::span<const ReferenceCrowd> crowds, std::string_view without,
                         double level) {
  std::vector<double> means;
  double within = 0, freedom = 0, one_by_labels = 0;
  for (const ReferenceCrowd& crowd : crowds) {
    if (crowd.name == without) continue;
    const std::vector<double> all = differences(crowd);
    means.push_back(mean_of(all));
    within += squares_around(all, means.back());
    freedom += static_cast<double>(all.size() - 1);
    one_by_labels += 1 / static_cast<double>(all.size());
  }
  require(means.size() >= 2, "a guess needs at least two reference crowds");
  const auto count = static_cast<double>(means.size());
  GuessSpread spread;
  spread.shift = mean_of(means);
  spread.label_variance = freedom > 0 ? within / freedom : 0;
  spread.crowd_variance = std::max(0.0, squares_around(means, spread.shift) / (count - 1) -
                                            spread.label_variance * one_by_labels / count);
  spread.deviation = std::max(
      kLeastDeviation,
      std::sqrt(spread.shift * spread.shift + spread.crowd_variance + spread.label_variance));
  const double p = 1 - (1 - level) / 2;
  spread.quantile = means.size() < kManyCrowds ? student_quantile(p, count) : normal_quantile(p);
  return spread;
}

Interval guess_range(double estimate, double error, const GuessSpread& spread) {
  const double middle = safe_logit(estimate);
  const double half = spread.quantile * std::hypot(error, spread.deviation);
  return {logistic(middle - half), logistic(middle + half)};
}

}  // namespace sieve
