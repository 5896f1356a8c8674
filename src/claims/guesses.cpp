#include <algorithm>
#include <array>
#include <cmath>

#include "base/length.h"
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

ReferenceErrors errors_of(const ReferenceCrowd& crowd) {
  const std::vector<double> all = differences(crowd);
  const double mean = mean_of(all);
  return {crowd.name, all.size(), mean, squares_around(all, mean)};
}

GuessSpread guess_spread(std::span<const ReferenceErrors> crowds, std::string_view without,
                         double level) {
  std::vector<double> means;
  double within = 0, freedom = 0, one_by_figures = 0;
  for (const ReferenceErrors& crowd : crowds) {
    if (crowd.crowd == without) continue;
    means.push_back(crowd.mean);
    within += crowd.squares;
    freedom += static_cast<double>(crowd.figures - 1);
    one_by_figures += 1 / static_cast<double>(crowd.figures);
  }
  require(means.size() >= 2, "a guess needs at least two reference crowds");
  const auto count = static_cast<double>(means.size());
  GuessSpread spread;
  spread.shift = mean_of(means);
  spread.label_variance = freedom > 0 ? within / freedom : 0;
  spread.crowd_variance = std::max(0.0, squares_around(means, spread.shift) / (count - 1) -
                                            spread.label_variance * one_by_figures / count);
  spread.deviation = std::max(
      kLeastDeviation,
      std::sqrt(spread.shift * spread.shift + spread.crowd_variance + spread.label_variance));
  const double p = 1 - (1 - level) / 2;
  spread.quantile = means.size() < kManyCrowds ? student_quantile(p, count) : normal_quantile(p);
  return spread;
}

GuessSpread guess_spread(std::span<const ReferenceCrowd> crowds, std::string_view without,
                         double level) {
  std::vector<ReferenceErrors> errors;
  for (const ReferenceCrowd& crowd : crowds) errors.push_back(errors_of(crowd));
  return guess_spread(errors, without, level);
}

Interval guess_range(double estimate, double error, const GuessSpread& spread, double shift) {
  const double one = safe_logit(estimate), other = safe_logit(estimate + shift);
  const double half = spread.quantile * length(error, spread.deviation);
  return {logistic(std::min(one, other) - half), logistic(std::max(one, other) + half)};
}

std::string_view to_string(GuessAbout about) {
  static constexpr std::array kNames = {"noise", "noise of a label", "recall",
                                        "false positive rate", "noise of an annotator"};
  return kNames[static_cast<std::size_t>(about)];
}

std::string_view to_string(GuessFrom from) {
  return from == GuessFrom::Votes ? "votes" : "union";
}

double chance_error(double share, std::size_t count) {
  const double p = std::clamp(share, kEdge, 1 - kEdge);
  return 1 / std::sqrt(static_cast<double>(count) * p * (1 - p) + 1);
}

double gold_deviation(double deviation, double estimate, std::size_t gold) {
  const double p = std::clamp(estimate, kEdge, 1 - kEdge);
  return 1 / std::sqrt(1 / (deviation * deviation) + static_cast<double>(gold) * p * (1 - p));
}

// A sample of each label; one of which nothing was decided counts as if one cell were.
GoldEvidence gold_evidence(std::span<const std::size_t> candidates,
                           std::span<const std::size_t> gold, std::span<const double> shifts) {
  double all = 0, variance = 0, shift = 0, decided = 0;
  for (std::size_t l = 0; l < candidates.size(); ++l) {
    const auto of_label = static_cast<double>(candidates[l]), cells = static_cast<double>(gold[l]);
    all += of_label;
    decided += cells;
    variance += of_label * of_label / std::max(cells, 1.0);
    shift += of_label * shifts[l];
  }
  if (decided == 0 || all == 0) return {};
  return {static_cast<std::size_t>(std::min(decided, all * all / variance)), shift / all};
}

std::optional<Claim> guess(double estimate, const GuessBasis& basis, double level) {
  const auto crowds = reference_errors(basis.about, basis.from);
  if (crowds.size() < 3) return std::nullopt;
  GuessSpread spread = guess_spread(crowds, basis.without, level);
  spread.deviation = gold_deviation(spread.deviation, estimate, basis.gold);
  const Interval range = guess_range(estimate, basis.error, spread, basis.shift);
  return Claim{.value = estimate,
               .low = std::min(range.low, estimate),
               .high = std::max(range.high, estimate),
               .level = level,
               .truth = basis.truth,
               .basis = ClaimBasis::Guess,
               .about = std::string(to_string(basis.about))};
}

std::optional<Claim> guess(const PartlyDecided& cells, GuessBasis basis, double level) {
  if (cells.cells == 0) return std::nullopt;
  const auto all = static_cast<double>(cells.cells), open = static_cast<double>(cells.open);
  if (cells.open == 0)
    return Claim{.value = cells.found / all,
                 .low = cells.found / all,
                 .high = cells.found / all,
                 .level = level,
                 .decisions = cells.cells,
                 .about = std::string(to_string(basis.about))};
  const double estimate = cells.estimated / open;
  basis.error = chance_error(estimate, cells.open);
  std::optional<Claim> claim = guess(estimate, basis, level);
  if (!claim) return claim;
  // However sure the model is: this share could be wrong, or right, and none among the cells.
  const double unseen = 1 - std::pow((1 - level) / 2, 1 / open);
  claim->low = std::min(claim->low, 1 - unseen);
  claim->high = std::max(claim->high, unseen);
  for (double* limit : {&claim->value, &claim->low, &claim->high})
    *limit = (cells.found + *limit * open) / all;
  return claim;
}

}  // namespace sieve
