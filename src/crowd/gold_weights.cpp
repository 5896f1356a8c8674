#include "crowd/gold_weights.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "base/require.h"
#include "crowd/bernoulli_fit.h"
#include "crowd/log_odds.h"
#include "labelsieve/claims.h"

namespace sieve {
namespace {

constexpr double kFarthestOdds = 14;  // 1e-6: beyond that all is alike
constexpr double kLongestLine = 6.9;  // 0.001: recalibrate() takes more for that
// Beforehand: where the expert draws the line is open, and they may well differ from the crowd in
// some ten per cent of the cells either way.
const NormalPrior kUsual{{0, 0, -2.2, -2.2}, {0.2, 3, 0.5, 0.5}};

struct Decided {
  double log_odds;
  bool on;
  std::size_t label;
};

// offset, log of the temper, log-odds of overlooked and of mistaken
GoldWeights weights_of(const std::vector<double>& p) {
  return {p[0], std::exp(p[1]), probability_of(p[2]), probability_of(p[3]), 0, 1};
}

std::vector<double> most_probable(std::span<const Decided> cells, const NormalPrior& prior) {
  const auto mean = [&](std::size_t item, std::span<const double> p, std::span<double> slope) {
    const double tempered = std::exp(p[1]) * cells[item].log_odds;
    const double seen = probability_of(p[0] + tempered);
    const double overlooked = probability_of(p[2]), mistaken = probability_of(p[3]);
    const double by_seen = (1 - overlooked - mistaken) * seen * (1 - seen);
    slope[0] = by_seen;
    slope[1] = by_seen * tempered;
    slope[2] = overlooked * (1 - overlooked) * (1 - seen);
    slope[3] = -mistaken * (1 - mistaken) * seen;
    return BernoulliCase{kept_inside(overlooked * (1 - seen) + (1 - mistaken) * seen),
                         cells[item].on};
  };
  return fit_bernoulli(cells.size(), mean, prior, prior.centre).parameters;
}

// Weights of all labels: each is near to what all of them have in common.
std::vector<GoldWeights> fit_labels(std::span<const Decided> cells, std::size_t labels) {
  std::vector<std::vector<Decided>> by_label(labels);
  for (const Decided& cell : cells) by_label[cell.label].push_back(cell);
  NormalPrior common = kUsual;
  common.centre = most_probable(cells, kUsual);
  std::vector<GoldWeights> out(labels);
  for (std::size_t l = 0; l < labels; ++l) {
    out[l] = weights_of(most_probable(by_label[l], common));
    out[l].cells = by_label[l].size();
  }
  return out;
}

double corrected_by(const GoldWeights& weights, double log_odds) {
  const double bounded = std::clamp(log_odds, -kFarthestOdds, kFarthestOdds);
  const double seen = probability_of(weights.offset + weights.temper * bounded);
  const double alone = kept_inside(weights.overlooked * (1 - seen) + (1 - weights.mistaken) * seen);
  if (weights.trust == 1) return alone;
  return kept_inside(
      probability_of(weights.trust * log_odds_of(alone) + (1 - weights.trust) * bounded));
}

}  // namespace

double corrected(std::span<const GoldWeights> gold, std::size_t labels, std::size_t label,
                 double log_odds) {
  const double by_expert = corrected_by(gold[label], log_odds);
  if (gold.size() == labels) return by_expert;
  const double by_line =
      corrected_by(gold[labels + label], std::clamp(log_odds, -kLongestLine, kLongestLine));
  return kept_inside(probability_of((log_odds_of(by_expert) + log_odds_of(by_line)) / 2));
}

std::vector<GoldWeights> learn_gold(std::span<const GoldCell> gold, std::size_t labels,
                                    const std::function<double(const GoldCell&)>& log_odds) {
  std::vector<Decided> all;
  std::vector<WeighedDecision> decisions;
  for (const GoldCell& cell : gold) {
    const double x = std::clamp(log_odds(cell), -kFarthestOdds, kFarthestOdds);
    all.push_back({x, cell.on, cell.label});
    decisions.push_back({probability_of(x), cell.label, cell.on});
  }
  if (all.empty()) return std::vector<GoldWeights>(labels);
  std::vector<GoldWeights> out = fit_labels(all, labels);
  const Recalibrated lines = recalibrate(decisions, labels);
  const double of_none = lines.candidates.front().weight;
  for (GoldWeights& each : out) each.trust = 1 - of_none;
  for (std::size_t l = 0; l < labels; ++l)
    out.push_back({.offset = lines.applied.offset + lines.applied.label[l],
                   .temper = lines.applied.temper,
                   .cells = out[l].cells});
  return out;
}

void check_gold(std::span<const GoldCell> gold, std::size_t rows, std::size_t labels) {
  for (const GoldCell& cell : gold)
    require(cell.row < rows && cell.label < labels,
            "a decided cell is in row " + std::to_string(cell.row + 1) + " and label " +
                std::to_string(cell.label + 1) + ", but there are " + std::to_string(rows) +
                " rows and " + std::to_string(labels) + " labels");
}

}  // namespace sieve
