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

constexpr double kFixedFactor = 1.15, kSequentialFactor = 1.75;  // as simulated
constexpr double kLeastVariance = 0.09;
constexpr double kModelError = 1.2;  // in log-odds, either way
constexpr double kWorstError = 0.45;
constexpr double kTail = 0.1;

// The largest variance of an answer that a model which errs that much allows.
double variance_near(double model) {
  const double middle = logit(std::clamp(model, 1e-6, 1 - 1e-6));
  double most = kLeastVariance;
  for (const double error : {-kModelError, 0.0, kModelError}) {
    const double e = logistic(middle + error);
    most = std::max(most, e * (1 - e));
  }
  return most;
}

// Clopper and Pearson, with kTail on each side.
Interval disagreement(std::size_t disagreements, std::size_t pairs) {
  const auto x = static_cast<double>(disagreements), m = static_cast<double>(pairs);
  return {disagreements == 0 ? 0 : beta_quantile(kTail, x, m - x + 1),
          disagreements == pairs ? 1 : beta_quantile(1 - kTail, x + 1, m - x)};
}

double error_of(double disagreeing) {
  return (1 - std::sqrt(1 - 2 * std::min(disagreeing, kWorstError))) / 2;
}

double without_errors(double share, double error) {
  return std::clamp((share - error) / (1 - 2 * error), 0.0, 1.0);
}

}  // namespace

AuditPlan plan_audit(std::span<const PlannedStratum> strata, double half_width, double level) {
  require(half_width > 0 && half_width < 0.5, "half of the width lies between 0 and 0.5");
  double cells = 0, variance = 0;
  for (const PlannedStratum& stratum : strata) cells += static_cast<double>(stratum.cells);
  require(cells > 0, "there is no cell to audit");
  for (const PlannedStratum& stratum : strata) {
    const double weight = static_cast<double>(stratum.cells) / cells;
    variance += static_cast<double>(strata.size()) * weight * weight * variance_near(stratum.model);
  }
  const double z = normal_quantile(1 - (1 - level) / 2) / half_width;
  const auto decisions = [&](double factor) {
    const double endless = std::max(factor * variance * z * z, 1.5 / half_width);
    return static_cast<std::size_t>(std::ceil(endless / (1 + endless / cells)));
  };
  return {decisions(kFixedFactor), decisions(kSequentialFactor)};
}

ReviewerErrors correct_for_reviewers(const Interval& share, std::size_t disagreements,
                                     std::size_t pairs) {
  require(pairs > 0 && disagreements <= pairs, "no more pairs disagree than there are");
  const Interval range = disagreement(disagreements, pairs);
  ReviewerErrors found;
  found.likely = error_of(static_cast<double>(disagreements) / static_cast<double>(pairs));
  found.error = {error_of(range.low), error_of(range.high)};
  const auto& [least, most] = found.error;
  found.corrected = {std::min(without_errors(share.low, least), without_errors(share.low, most)),
                     std::max(without_errors(share.high, least), without_errors(share.high, most))};
  return found;
}

Claim corrected_claim(Claim claim, const ReviewerErrors& errors) {
  claim.low = errors.corrected.low;
  claim.high = errors.corrected.high;
  claim.value = std::clamp(without_errors(claim.value, errors.likely), claim.low, claim.high);
  return claim;
}

}  // namespace sieve
