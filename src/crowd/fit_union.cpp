#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "base/format_text.h"
#include "base/length.h"
#include "base/require.h"
#include "crowd/bernoulli_fit.h"
#include "crowd/gold_weights.h"
#include "crowd/log_odds.h"
#include "crowd/scores.h"
#include "labelsieve/crowd.h"
#include "labelsieve/error.h"

namespace sieve {
namespace {

constexpr double kLowestRows = 0.125;  // share of the rows that should not have the label
constexpr double kFrequent = 0.4;      // log-odds of ticks from which on they are many
constexpr double kMostLowered = 3;
constexpr double kFixed = 1e-6;  // variance of what is known
constexpr int kRounds = 4;       // of pooling labels
constexpr std::size_t kEnoughRows = 60'000;
constexpr double kUsualVariance = 1;
// By how much the form of the curve may mislead, in log-odds. The rows with the lowest scores may
// have the label nevertheless, so that rates come out too high rather than too low.
constexpr double kDoubtAbove = 0.5, kDoubtBelow = 0.75;
constexpr double kNoisyCrowd = 0.8;  // share of noise known from real crowds

// Rows of one label that its curve is fitted to: all, or as many as are enough, evenly spread.
struct LabelRows {
  LabelRows(const LabelMatrix& candidates, const Matrix& scores, std::size_t label)
      : odds(std::min(scores.rows(), kEnoughRows)), ticked(odds.size()) {
    for (std::size_t k = 0; k < odds.size(); ++k) {
      const std::size_t row = k * scores.rows() / odds.size();
      odds[k] = static_cast<double>(score_log_odds(scores(row, label)));
      ticked[k] = candidates.get(row, label);
    }
  }

  // The share of ticks among the rows of the lowest scores, drawn a little towards one half.
  double floor() const {
    std::vector<std::size_t> order(odds.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, [&](auto a, auto b) { return odds[a] < odds[b]; });
    order.resize(
        static_cast<std::size_t>(std::ceil(kLowestRows * static_cast<double>(odds.size()))));
    double ticks = 0;
    for (const std::size_t row : order) ticks += ticked[row];
    return (ticks + 0.5) / (static_cast<double>(order.size()) + 1);
  }

  std::vector<double> odds;
  std::vector<char> ticked;
};

// The chance of a tick is f + (s - f) p, with p = sigmoid(offset + score * z): how likely the label
// is right, and the rates of all annotators together. Parameters: offset, log(score), log-odds of
// f.
class LabelCurve {
 public:
  LabelCurve(const LabelRows& rows, double missing)
      : seen_(1 - missing), parameters_{0, 0, log_odds_of(rows.floor())} {}

  void fit(const LabelRows& rows, double centre, double variance) {
    const NormalPrior prior{{0, 0, centre}, {1e-2, 1, 1 / variance}};
    const auto mean = [&](std::size_t row, std::span<const double> p, std::span<double> slope) {
      const double tempered = std::exp(p[1]) * rows.odds[row];
      const double right = kept_inside(probability_of(p[0] + tempered)), f = probability_of(p[2]);
      const double by_right = (seen_ - f) * right * (1 - right);
      slope[0] = by_right;
      slope[1] = by_right * tempered;
      slope[2] = f * (1 - f) * (1 - right);
      return BernoulliCase{kept_inside(f + (seen_ - f) * right), rows.ticked[row] != 0};
    };
    const BernoulliFit found = fit_bernoulli(rows.odds.size(), mean, prior, parameters_);
    parameters_ = found.parameters;
    spread_ = std::sqrt(found.covariance[8]);
  }

  // Where most rows are ticked, the rows of the lowest scores may well have the label: the rate is
  // then taken for lower than they say, and the curve fitted again.
  void correct(const LabelRows& rows, double tick_share) {
    lowered_ = std::clamp(log_odds_of(tick_share) - kFrequent, 0.0, kMostLowered);
    if (lowered_ == 0) return;
    const double spread = spread_;
    fit(rows, parameters_[2] - lowered_, kFixed);
    spread_ = spread;
  }

  double false_positive_rate() const { return parameters_[2]; }
  double spread() const { return spread_; }

  UnionLabel label(double rows, double ticks) const {
    UnionLabel out;
    out.offset = parameters_[0];
    out.score = std::exp(parameters_[1]);
    const double below = -length(kNineTenths * spread_, kDoubtBelow + 2 * lowered_);
    const double above = length(kNineTenths * spread_, kDoubtAbove + lowered_);
    const auto rate = [&](double away) { return probability_of(parameters_[2] + away); };
    out.false_positive_rate = {rate(0), rate(below), rate(above)};
    const auto noise_at = [&](double away) { return noise(rate(away), rows, ticks); };
    out.noise = {noise_at(0), noise_at(below), noise_at(above)};
    out.noise_at_most = std::max(out.noise.high, kNoisyCrowd);
    return out;
  }

 private:
  // n ticks on N rows, of which T are right and seen: n = T + f (N - T / seen).
  double noise(double f, double rows, double ticks) const {
    if (ticks == 0) return 0.5;
    const double right = std::clamp((ticks - f * rows) / (1 - f / seen_), 0.0, ticks);
    return kept_inside(1 - right / ticks);
  }

  double seen_;
  std::vector<double> parameters_;
  double spread_ = 1, lowered_ = 0;
};

// What the labels of a set have in common: the mean and the variance of their false ticks, as
// log-odds.
struct Common {
  double centre = 0, variance = kUsualVariance;
};

Common in_common(const std::vector<LabelCurve>& curves, double variance) {
  double weights = 0, sum = 0, squares = kUsualVariance;
  for (const LabelCurve& curve : curves) {
    const double weight = 1 / (variance + curve.spread() * curve.spread());
    weights += weight;
    sum += weight * curve.false_positive_rate();
  }
  const double centre = sum / std::max(weights, 1e-9);
  for (const LabelCurve& curve : curves)
    squares += std::pow(curve.false_positive_rate() - centre, 2) + std::pow(curve.spread(), 2);
  return {centre, squares / static_cast<double>(curves.size() + 1)};
}

std::vector<LabelCurve> fit_curves(const LabelMatrix& candidates, const Matrix& scores,
                                   double missing, ThreadPool& pool) {
  std::vector<LabelCurve> curves;
  for (std::size_t l = 0; l < candidates.labels(); ++l)
    curves.emplace_back(LabelRows(candidates, scores, l), missing);
  Common common = in_common(curves, kUsualVariance);
  for (int round = 0; round < kRounds; ++round) {
    pool.for_each(curves.size(), [&](std::size_t l) {
      curves[l].fit(LabelRows(candidates, scores, l), common.centre, common.variance);
    });
    common = in_common(curves, common.variance);
  }
  const std::vector<std::size_t> ticks = candidates.label_counts();
  pool.for_each(curves.size(), [&](std::size_t l) {
    curves[l].correct(LabelRows(candidates, scores, l), share_of(ticks[l], candidates.rows()));
  });
  return curves;
}

// Once an expert has spoken, the probability says how much is noise, as surely as a sample of
// that size.
void set_noise_by_gold(UnionModel& model, const LabelMatrix& candidates, const Matrix& scores) {
  std::vector<double> right(model.labels.size()), ticked(model.labels.size());
  std::vector<float> probabilities(model.labels.size());
  for (std::size_t row = 0; row < candidates.rows(); ++row) {
    model.probabilities(candidates, scores, row, probabilities);
    candidates.for_each(row, [&](std::size_t l) {
      right[l] += static_cast<double>(probabilities[l]);
      ticked[l] += 1;
    });
  }
  for (std::size_t l = 0; l < model.labels.size(); ++l) {
    if (ticked[l] == 0) continue;
    const double noise = kept_inside(1 - right[l] / ticked[l]);
    const double answers = static_cast<double>(model.gold[l].cells) + 2;
    const double away = kNineTenths / std::sqrt(answers * noise * (1 - noise));
    const double middle = log_odds_of(noise);
    model.labels[l].noise = {noise, probability_of(middle - away), probability_of(middle + away)};
    model.labels[l].noise_at_most = model.labels[l].noise.high;
  }
}

void check(const LabelMatrix& candidates, const Matrix& scores, const UnionOptions& options) {
  require(candidates.rows() == scores.rows() && candidates.labels() == scores.cols(),
          "the scores are for " + std::to_string(scores.rows()) + " rows and " +
              std::to_string(scores.cols()) + " labels, the ticks for " +
              std::to_string(candidates.rows()) + " and " + std::to_string(candidates.labels()));
  require(options.missing >= 0 && options.missing <= 0.9,
          "the share of missing labels must be between 0 and 0.9");
  check_numbers(scores);
}

}  // namespace

void UnionModel::probabilities(const LabelMatrix& candidates, const Matrix& scores, std::size_t row,
                               std::span<float> into) const {
  for (std::size_t l = 0; l < labels.size(); ++l) {
    const UnionLabel& label = labels[l];
    const double s = 1 - missing, f = label.false_positive_rate.value;
    const double prior =
        label.offset + label.score * static_cast<double>(score_log_odds(scores(row, l)));
    const double evidence =
        candidates.get(row, l) ? std::log(s / f) : std::log(std::max(1 - s, kLeast) / (1 - f));
    into[l] = static_cast<float>(corrected(gold, labels.size(), l, prior + evidence));
  }
}

UnionModel fit_union(const LabelMatrix& candidates, const Matrix& scores, ThreadPool& pool,
                     const UnionOptions& options, std::span<const GoldCell> gold) {
  check(candidates, scores, options);
  check_gold(gold, candidates.rows(), candidates.labels());
  UnionModel model;
  model.missing = options.missing;
  const std::vector<std::size_t> ticks = candidates.label_counts();
  for (const LabelCurve& curve : fit_curves(candidates, scores, options.missing, pool))
    model.labels.push_back(curve.label(static_cast<double>(candidates.rows()),
                                       static_cast<double>(ticks[model.labels.size()])));
  model.gold.resize(candidates.labels());
  if (gold.empty()) return model;
  std::vector<float> probabilities(candidates.labels());
  std::vector<GoldWeights> learnt =
      learn_gold(gold, candidates.labels(), [&](const GoldCell& cell) {
        model.probabilities(candidates, scores, cell.row, probabilities);
        return log_odds_of(static_cast<double>(probabilities[cell.label]));
      });
  model.gold = std::move(learnt);
  set_noise_by_gold(model, candidates, scores);
  return model;
}

}  // namespace sieve
