#include "observation/pooled_rates.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "observation/log_odds.h"

namespace sieve {
namespace {

constexpr int kSweeps = 2;
constexpr double kFarthestStep = 1;
constexpr double kLeastVariance = 1e-3;
// A variance is learnt as if one more effect of this size had been seen.
constexpr double kUsualVariance = 0.5;

double step(double effect, double variance, double slope, double information) {
  const double move = (slope - effect / variance) / (information + 1 / variance);
  return std::clamp(move, -kFarthestStep, kFarthestStep);
}

}  // namespace

PooledRates::PooledRates(std::size_t people, std::size_t labels, double common)
    : common_(common), person_(people, 0.0), label_(labels, 0.0), both_(people, labels) {}

double PooledRates::log_odds(std::size_t person, std::size_t label) const {
  return std::clamp(common_ + person_[person] + label_[label] + both_(person, label), -kFarthest,
                    kFarthest);
}

template <class Visit>
void PooledRates::for_each_cell(const MatrixD& ticks, const MatrixD& chances, Visit&& visit) const {
  for (std::size_t a = 0; a < person_.size(); ++a)
    for (std::size_t l = 0; l < label_.size(); ++l) {
      const double rate = probability_of(log_odds(a, l));
      const double expected = chances(a, l) * rate;
      visit(a, l, ticks(a, l) - expected, expected * (1 - rate));
    }
}

void PooledRates::move_effects(std::vector<double>& effects, double& variance,
                               const std::vector<double>& slope,
                               const std::vector<double>& information) {
  double squares = kUsualVariance;
  for (std::size_t e = 0; e < effects.size(); ++e) {
    effects[e] += step(effects[e], variance, slope[e], information[e]);
    squares += effects[e] * effects[e] + 1 / (information[e] + 1 / variance);
  }
  variance = std::max(kLeastVariance, squares / static_cast<double>(effects.size() + 1));
}

void PooledRates::move_labels(const MatrixD& ticks, const MatrixD& chances) {
  std::vector<double> slope(label_.size()), information(label_.size());
  for_each_cell(ticks, chances, [&](std::size_t, std::size_t l, double s, double i) {
    slope[l] += s;
    information[l] += i;
  });
  move_effects(label_, label_variance_, slope, information);
  const double all = std::accumulate(information.begin(), information.end(), 0.0);
  const double pull = std::accumulate(slope.begin(), slope.end(), 0.0);
  common_ += std::clamp(pull / (all + 1e-3), -kFarthestStep, kFarthestStep) / 2;
  const double mean =
      std::accumulate(label_.begin(), label_.end(), 0.0) / static_cast<double>(label_.size());
  for (double& effect : label_) effect -= mean;
  common_ += mean;
}

void PooledRates::move_people(const MatrixD& ticks, const MatrixD& chances) {
  std::vector<double> slope(person_.size()), information(person_.size());
  for_each_cell(ticks, chances, [&](std::size_t a, std::size_t, double s, double i) {
    slope[a] += s;
    information[a] += i;
  });
  move_effects(person_, person_variance_, slope, information);
}

void PooledRates::move_cells(const MatrixD& ticks, const MatrixD& chances) {
  double squares = kUsualVariance / 2;
  const double variance = both_variance_;
  for_each_cell(ticks, chances, [&](std::size_t a, std::size_t l, double s, double i) {
    double& effect = both_(a, l);  // which no other cell depends on
    effect += step(effect, variance, s, i);
    squares += effect * effect + 1 / (i + 1 / variance);
  });
  both_variance_ =
      std::max(kLeastVariance, squares / static_cast<double>(person_.size() * label_.size() + 1));
}

void PooledRates::fit(const MatrixD& ticks, const MatrixD& chances) {
  if (person_.empty() || label_.empty()) return;
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    move_labels(ticks, chances);
    move_people(ticks, chances);
    move_cells(ticks, chances);
  }
}

MatrixD PooledRates::spread(const MatrixD& information) const {
  std::vector<double> of_person(person_.size(), 1 / person_variance_);
  std::vector<double> of_label(label_.size(), 1 / label_variance_);
  for (std::size_t a = 0; a < person_.size(); ++a)
    for (std::size_t l = 0; l < label_.size(); ++l) {
      of_person[a] += information(a, l);
      of_label[l] += information(a, l);
    }
  MatrixD out(person_.size(), label_.size());
  for (std::size_t a = 0; a < person_.size(); ++a)
    for (std::size_t l = 0; l < label_.size(); ++l) {
      const double own = information(a, l) + 1 / both_variance_;
      const double borrowed = 1 / both_variance_ / own;  // weight of person and label in the rate
      out(a, l) = std::sqrt(1 / own + borrowed * borrowed * (1 / of_person[a] + 1 / of_label[l]));
    }
  return out;
}

}  // namespace sieve
