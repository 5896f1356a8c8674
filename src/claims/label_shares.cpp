#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "claims/log_odds.h"
#include "labelsieve/claims.h"

namespace sieve {
namespace {

using claims::log_logistic;
using claims::logistic;
using claims::logit;

constexpr std::size_t kDirect = 20, kBorrowed = 5;  // decisions
constexpr double kWidest = 0.5;
constexpr double kShiftDeviation = 2;
constexpr std::size_t kPoints = 181, kShifts = 41;
constexpr std::array kDeviations = {0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0};

double point(std::size_t i) {
  return -9 + 0.1 * static_cast<double>(i);
}
double shift(std::size_t i) {
  return -5 + 0.25 * static_cast<double>(i);
}

using Grid = std::array<double, kPoints>;

// What a label's own decisions say, weighted by the cells they stand for.
struct Own {
  double share = 0.5, effective = 0, model = 0.5;
  Grid log_likelihood{};
};

Own own_of(const AuditLane& lane, std::uint32_t label, std::span<const StratumCount> strata) {
  Own own;
  own.model = logit(std::clamp(lane.label_model(label), 0.005, 0.995));
  double sum = 0, squares = 0, ones = 0, decided = 0;
  std::size_t part = 0;
  const std::vector<StratumCount> own_counts = lane.counts(label);
  // counts(label) leaves out strata without cells of the label; the model of weights needs both.
  for (std::size_t h = 0; h < strata.size(); ++h) {
    if (!lane.has_label(h, label)) continue;
    const StratumCount& count = own_counts[part++];
    if (count.decided == 0) continue;
    const double weight =
        static_cast<double>(strata[h].cells) / static_cast<double>(strata[h].decided);
    sum += weight * static_cast<double>(count.decided);
    squares += weight * weight * static_cast<double>(count.decided);
    ones += weight * static_cast<double>(count.ones);
    decided += static_cast<double>(count.decided);
  }
  if (decided == 0) return own;
  own.share = ones / sum;
  const double rest = 1 - decided / static_cast<double>(lane.label_cells(label));
  own.effective = sum * sum / squares / std::max(rest, 1e-9);
  for (std::size_t i = 0; i < kPoints; ++i)
    own.log_likelihood[i] = own.effective * (own.share * log_logistic(point(i)) +
                                             (1 - own.share) * log_logistic(-point(i)));
  return own;
}

// Normal on the grid, as logarithms.
Grid log_prior(double mean, double deviation) {
  Grid log;
  double sum = 0;
  for (std::size_t i = 0; i < kPoints; ++i) {
    const double z = (point(i) - mean) / deviation;
    log[i] = -z * z / 2;
  }
  const double most = *std::ranges::max_element(log);
  for (const double each : log) sum += std::exp(each - most);
  for (double& each : log) each -= most + std::log(sum);
  return log;
}

// The posterior of a label for one (shift, deviation), and the likelihood of these.
double probabilities_of(const Own& own, double mean, double deviation, Grid& posterior) {
  Grid log = log_prior(mean, deviation);
  for (std::size_t i = 0; i < kPoints; ++i) log[i] += own.log_likelihood[i];
  const double most = *std::ranges::max_element(log);
  double sum = 0;
  for (std::size_t i = 0; i < kPoints; ++i) sum += posterior[i] = std::exp(log[i] - most);
  for (double& each : posterior) each /= sum;
  return most + std::log(sum);
}

struct Hyper {
  double shift, deviation, log_weight;
};

std::vector<Hyper> weigh_all(std::span<const Own> labels) {
  std::vector<Hyper> all;
  Grid unused;
  for (std::size_t m = 0; m < kShifts; ++m)
    for (const double deviation : kDeviations) {
      const double z = shift(m) / kShiftDeviation;
      Hyper hyper{shift(m), deviation, -z * z / 2};
      for (const Own& own : labels)
        if (own.effective > 0)
          hyper.log_weight += probabilities_of(own, own.model + hyper.shift, deviation, unused);
      all.push_back(hyper);
    }
  const double most = std::ranges::max(all, {}, &Hyper::log_weight).log_weight;
  double sum = 0;
  for (const Hyper& hyper : all) sum += std::exp(hyper.log_weight - most);
  for (Hyper& hyper : all) hyper.log_weight -= most + std::log(sum);
  return all;
}

// Linear in the cumulative sum less half of each weight.
double quantile_of(const Grid& posterior, double p) {
  double before = 0, place_before = 0, sum = 0;
  for (std::size_t i = 0; i < kPoints; ++i) {
    const double place = sum + posterior[i] / 2;
    if (place >= p) {
      if (i == 0) return logistic(point(0));
      return logistic(before + (point(i) - before) * (p - place_before) / (place - place_before));
    }
    before = point(i);
    place_before = place;
    sum += posterior[i];
  }
  return logistic(point(kPoints - 1));
}

Estimated borrowed(const Own& own, std::span<const Hyper> hypers, double level) {
  Grid mixed{}, posterior;
  for (const Hyper& hyper : hypers) {
    const double weight = std::exp(hyper.log_weight);
    if (weight < 1e-12) continue;
    probabilities_of(own, own.model + hyper.shift, hyper.deviation, posterior);
    for (std::size_t i = 0; i < kPoints; ++i) mixed[i] += weight * posterior[i];
  }
  const double alpha = 1 - level;
  return {quantile_of(mixed, 0.5),
          {quantile_of(mixed, alpha / 2), quantile_of(mixed, 1 - alpha / 2)}};
}

std::size_t decisions_in(std::span<const StratumCount> strata) {
  std::size_t decided = 0;
  for (const StratumCount& each : strata) decided += each.decided;
  return decided;
}

}  // namespace

std::vector<LabelShare> label_shares(const AuditLane& lane, double level) {
  const std::vector<StratumCount> strata = lane.counts();
  std::vector<Own> own;
  std::vector<LabelShare> shares(lane.labels());
  bool borrows = false;
  for (std::uint32_t l = 0; l < shares.size(); ++l) {
    own.push_back(own_of(lane, l, strata));
    LabelShare& share = shares[l];
    const std::vector<StratumCount> counts = lane.counts(l);
    share.decisions = decisions_in(counts);
    share.share = own[l].share;
    share.effective = own[l].effective;
    const bool all = share.decisions == lane.label_cells(l) && share.decisions > 0;
    if (share.decisions >= kDirect || all)
      if (const auto direct = fixed_interval(counts, level)) {
        share.basis = LabelBasis::Direct;
        share.estimate = {direct->value, direct->interval};
      }
    borrows |= share.basis == LabelBasis::Refused && share.decisions >= kBorrowed;
  }
  const std::vector<Hyper> hypers = borrows ? weigh_all(own) : std::vector<Hyper>{};
  for (std::size_t l = 0; l < shares.size(); ++l) {
    LabelShare& share = shares[l];
    if (share.basis != LabelBasis::Direct && share.decisions >= kBorrowed) {
      share.basis = LabelBasis::Borrowed;
      share.estimate = borrowed(own[l], hypers, level);
    }
    if (share.basis != LabelBasis::Refused && share.estimate.interval.width() > kWidest)
      share.basis = LabelBasis::Refused;
  }
  return shares;
}

std::string_view to_string(LabelBasis basis) {
  return basis == LabelBasis::Direct     ? "direct"
         : basis == LabelBasis::Borrowed ? "borrowed"
                                         : "refused";
}

}  // namespace sieve
