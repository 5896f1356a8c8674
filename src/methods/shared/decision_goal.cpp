#include "methods/shared/decision_goal.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace sieve {
namespace {

constexpr std::size_t kSteps = 1000;  // thresholds looked at, in (0, 1)
// Of the least expected Hamming loss, that more right labels may cost.
constexpr double kAllowed = 1.02;
// Of the best expected micro F1, that has to be left.
constexpr double kLeastPart = 0.8;
// With few rows, rates of noise are rough and often too high. As much is to be left there where it
// still costs less than half of what plain training would.
constexpr double kPartOfFew = 0.85;
constexpr std::size_t kFewRows = 1000;
constexpr double kAllowedOfFew = 1.08;  // of the least expected Hamming loss, there

// The probability that a label is right if noise is what is feared.
double feared(double right, double rate, double feared_rate) {
  const double candidate = rate + (1 - rate) * right;
  return std::max(0.0, (candidate - feared_rate) / (1 - feared_rate));
}

// The first of the thresholds, upwards, whose value is least.
template <class Value>
std::size_t least(const Value& value) {
  std::size_t best = 1;
  for (std::size_t t = 2; t < kSteps; ++t)
    if (value(t) < value(best)) best = t;
  return best;
}

// The labels that are on from a threshold on, for every threshold: entry t is for t / kSteps.
class Course {
 public:
  Course(const Matrix& right, const Noisiness& noise) : rows_(right.rows()) {
    for (std::size_t i = 0; i < right.rows(); ++i) {
      const double weight = noise.weights.empty() ? 1 : double{noise.weights[i]};
      for (std::size_t k = 0; k < right.cols(); ++k) {
        const double f = double{right(i, k)}, rate = double{noise.rates[k]};
        const auto step = std::min(static_cast<std::size_t>(f * kSteps), kSteps);
        const double surely = feared(f, rate, double{noise.feared[k]});
        on_[step] += weight;
        sums_[step] += weight * surely;
        believed_[step] += weight * f;
        // Plain training predicts what is more likely a candidate than not.
        plain_loss_ += weight * (rate + (1 - rate) * f >= 0.5 ? 1 - surely : surely);
      }
    }
    for (std::size_t t = kSteps; t-- > 0;) {
      on_[t] += on_[t + 1];
      sums_[t] += sums_[t + 1];
      believed_[t] += believed_[t + 1];
    }
  }

  std::size_t rows() const { return rows_; }
  double on(std::size_t t) const { return on_[t]; }
  double right() const { return sums_[0]; }  // expected, in all
  double hamming(std::size_t t) const { return on_[t] - sums_[t] + (sums_[0] - sums_[t]); }
  double least_hamming() const {
    return hamming(least([this](std::size_t t) { return hamming(t); }));
  }
  double plain_hamming() const { return plain_loss_; }
  double f1(std::size_t t) const { return 2 * sums_[t] / (on_[t] + sums_[0]); }
  // If the noise is what was found, and no more is feared.
  double believed_f1(std::size_t t) const { return 2 * believed_[t] / (on_[t] + believed_[0]); }

 private:
  std::size_t rows_;
  std::array<double, kSteps + 1> on_{}, sums_{}, believed_{};
  double plain_loss_ = 0;
};

// The threshold `t`, or as far below it as a fair part of the best F1 asks for.
std::size_t lowered_for_f1(std::size_t t, std::size_t by_f1, const Course& course) {
  while (t > by_f1 && course.f1(t) < kLeastPart * course.f1(by_f1)) --t;
  if (course.rows() > kFewRows) return t;
  const auto at_half_the_cost = [&] { return 2 * course.hamming(t - 1) <= course.plain_hamming(); };
  const double most = kAllowedOfFew * course.least_hamming();
  while (t > by_f1 && course.hamming(t - 1) <= most && at_half_the_cost()) --t;
  const std::size_t best = least([&](std::size_t s) { return -course.believed_f1(s); });
  const double wanted = kPartOfFew * course.believed_f1(best);
  while (t > best && course.believed_f1(t) < wanted && at_half_the_cost()) --t;
  return t;
}

std::size_t step_for(DecisionGoal goal, const Course& course) {
  if (goal == DecisionGoal::Cardinality)
    return least([&](std::size_t t) { return std::abs(course.on(t) - course.right()); });
  const std::size_t by_f1 = least([&](std::size_t t) { return -course.f1(t); });
  if (goal == DecisionGoal::F1) return by_f1;
  const double most = kAllowed * course.least_hamming();
  std::size_t t = 1;
  while (course.hamming(t) > most) ++t;
  // Feared noise takes no more off than 1/2 does.
  return lowered_for_f1(std::min(std::max(t, by_f1), kSteps / 2), by_f1, course);
}

}  // namespace

const std::vector<std::string>& names_of_goals() {
  static const std::vector<std::string> names{"balanced", "hamming", "f1", "cardinality"};
  return names;
}

Decision decision_for(DecisionGoal goal, const Matrix& right, const Noisiness& noise) {
  Decision decision;
  if (goal == DecisionGoal::Hamming || right.rows() == 0) return decision;
  const Course course(right, noise);
  if (course.right() > 0) decision.threshold = static_cast<double>(step_for(goal, course)) / kSteps;
  return decision;
}

Decision noted_decision_for(DecisionGoal goal, const Matrix& right, const Noisiness& noise,
                            ModelState& state) {
  if (goal != DecisionGoal::Hamming && right.rows() == 0)
    state.notes["threshold"] = "1/2, decision=" + state.options.at("decision") +
                               " could not be learnt: no row was held out";
  return decision_for(goal, right, noise);
}

}  // namespace sieve
