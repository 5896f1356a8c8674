#include <algorithm>
#include <cmath>
#include <numeric>

#include "claims/log_odds.h"
#include "labelsieve/claims.h"

namespace sieve {
namespace {

using claims::log_logistic;
using claims::logistic;
using claims::logit;

constexpr double kTemperDeviation = 0.35, kOffsetDeviation = 2;
constexpr double kIdentityBonus = 4;  // in log likelihood
constexpr double kLongestStep = 2;
constexpr int kMostSteps = 60;

struct Form {
  const char* name;
  bool temper;
  double label_deviation;  // 0: no shifts of labels
};
constexpr Form kForms[] = {{"offset", false, 0},
                           {"offset+temper", true, 0},
                           {"labels .35", true, 0.35},
                           {"labels .7", true, 0.7},
                           {"labels 1.4", true, 1.4}};

struct Point {
  double x, y, weight;
  std::size_t label;  // among those that have decisions
};

double safe_logit(double q) {
  return logit(std::clamp(q, 0.001, 0.999));
}

// A symmetric positive definite matrix, row by row, factored in place (Cholesky).
class Factored {
 public:
  Factored(std::vector<double> matrix, std::size_t size) : a_(std::move(matrix)), n_(size) {
    for (std::size_t j = 0; j < n_; ++j) {
      for (std::size_t k = 0; k < j; ++k) at(j, j) -= at(j, k) * at(j, k);
      at(j, j) = std::sqrt(at(j, j));
      for (std::size_t i = j + 1; i < n_; ++i) {
        for (std::size_t k = 0; k < j; ++k) at(i, j) -= at(i, k) * at(j, k);
        at(i, j) /= at(j, j);
      }
    }
  }
  std::vector<double> solve(std::vector<double> b) const {
    for (std::size_t i = 0; i < n_; ++i) {
      for (std::size_t k = 0; k < i; ++k) b[i] -= a_[i * n_ + k] * b[k];
      b[i] /= a_[i * n_ + i];
    }
    for (std::size_t i = n_; i-- > 0;) {
      for (std::size_t k = i + 1; k < n_; ++k) b[i] -= a_[k * n_ + i] * b[k];
      b[i] /= a_[i * n_ + i];
    }
    return b;
  }

 private:
  double& at(std::size_t i, std::size_t j) { return a_[i * n_ + j]; }
  std::vector<double> a_;
  std::size_t n_;
};

// Penalised logistic regression of one form; coefficients: offset, temper, labels.
class Fit {
 public:
  Fit(const Form& form, std::span<const Point> points, std::size_t labels)
      : points_(points),
        precision_{1 / (kOffsetDeviation * kOffsetDeviation)},
        temper_(form.temper) {
    if (form.temper) precision_.push_back(1 / (kTemperDeviation * kTemperDeviation));
    if (form.label_deviation > 0)
      precision_.insert(precision_.end(), labels,
                        1 / (form.label_deviation * form.label_deviation));
    coefficients_.resize(precision_.size());
    for (int step = 0; step < kMostSteps && improve(); ++step) {
    }
  }

  double offset() const { return coefficients_[0]; }
  double temper() const { return temper_ ? 1 + coefficients_[1] : 1; }
  double label(std::size_t l) const { return coefficients_.size() > 2 ? coefficients_[2 + l] : 0; }

  // The log likelihood of each decision by a fit to the others, to first order.
  double left_out() const {
    const Factored hessian(curvature(), coefficients_.size());
    double sum = 0;
    for (const Point& point : points_) {
      const std::vector<double> m = row(point);
      const std::vector<double> solved = hessian.solve(m);
      const double h = std::inner_product(m.begin(), m.end(), solved.begin(), 0.0);
      const double x = moved(point), p = logistic(x);
      const double without =
          x - point.weight * (point.y - p) * h / std::max(1 - point.weight * p * (1 - p) * h, 0.05);
      sum += point.weight * log_logistic(point.y > 0 ? without : -without);
    }
    return sum;
  }

 private:
  std::vector<double> row(const Point& point) const {
    std::vector<double> m(coefficients_.size());
    m[0] = 1;
    if (temper_) m[1] = point.x;
    if (m.size() > 2) m[2 + point.label] = 1;
    return m;
  }
  double moved(const Point& point) const {
    return temper() * point.x + offset() + label(point.label);
  }
  std::vector<double> curvature() const {
    const std::size_t n = coefficients_.size();
    std::vector<double> hessian(n * n);
    for (std::size_t i = 0; i < n; ++i) hessian[i * n + i] = precision_[i];
    for (const Point& point : points_) {
      const double p = logistic(moved(point)), scale = point.weight * p * (1 - p);
      const std::vector<double> m = row(point);
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n && m[i] != 0; ++j) hessian[i * n + j] += scale * m[i] * m[j];
    }
    return hessian;
  }
  // One step of Newton's method; whether it moved anything.
  bool improve() {
    std::vector<double> gradient(coefficients_.size());
    for (std::size_t i = 0; i < gradient.size(); ++i)
      gradient[i] = -precision_[i] * coefficients_[i];
    for (const Point& point : points_) {
      const double rest = point.weight * (point.y - logistic(moved(point)));
      const std::vector<double> m = row(point);
      for (std::size_t i = 0; i < m.size(); ++i) gradient[i] += rest * m[i];
    }
    const std::vector<double> step =
        Factored(curvature(), coefficients_.size()).solve(std::move(gradient));
    double longest = 0;
    for (const double each : step) longest = std::max(longest, std::fabs(each));
    const double scale = longest > kLongestStep ? kLongestStep / longest : 1;
    for (std::size_t i = 0; i < step.size(); ++i) coefficients_[i] += scale * step[i];
    return longest > 1e-12;
  }

  std::span<const Point> points_;
  std::vector<double> precision_, coefficients_;
  bool temper_;
};

struct Points {
  std::vector<Point> all;
  std::vector<std::uint32_t> labels;  // that have decisions, ascending
};

Points points_of(std::span<const WeighedDecision> decided) {
  Points points;
  double sum = 0;
  for (const WeighedDecision& cell : decided) {
    points.labels.push_back(cell.label);
    sum += cell.weight;
  }
  std::ranges::sort(points.labels);
  const auto [last, end] = std::ranges::unique(points.labels);
  points.labels.erase(last, end);
  const double mean = sum / static_cast<double>(decided.size());
  for (const WeighedDecision& cell : decided) {
    const auto label = std::ranges::lower_bound(points.labels, cell.label);
    points.all.push_back({safe_logit(cell.probability), cell.one ? 1.0 : 0.0, cell.weight / mean,
                          static_cast<std::size_t>(label - points.labels.begin())});
  }
  return points;
}

double log_likelihood(std::span<const Point> points) {
  double sum = 0;
  for (const Point& point : points)
    sum += point.weight * log_logistic(point.y > 0 ? point.x : -point.x);
  return sum;
}

void weigh(std::vector<RecalibrationCandidate>& candidates) {
  const auto worth = [](const RecalibrationCandidate& each) {
    return each.left_out + (each.name == "identity" ? kIdentityBonus : 0);
  };
  double most = worth(candidates[0]), sum = 0;
  for (const auto& each : candidates) most = std::max(most, worth(each));
  for (auto& each : candidates) sum += each.weight = std::exp(worth(each) - most);
  for (auto& each : candidates) each.weight /= sum;
}

}  // namespace

double Recalibration::apply(double probability, std::size_t of_label) const {
  const double own = of_label < label.size() ? label[of_label] : 0;
  return logistic(temper * safe_logit(probability) + offset + own);
}

Recalibrated recalibrate(std::span<const WeighedDecision> decided, std::size_t labels) {
  Recalibrated found;
  const std::vector<double> none(labels);
  found.applied.label = none;
  if (decided.empty()) return found;
  const Points points = points_of(decided);
  found.candidates.push_back({"identity", {0, 1, none}, log_likelihood(points.all), 0});
  for (const Form& form : kForms) {
    const Fit fit(form, points.all, points.labels.size());
    RecalibrationCandidate candidate{
        form.name, {fit.offset(), fit.temper(), none}, fit.left_out(), 0};
    for (std::size_t l = 0; l < points.labels.size(); ++l)
      candidate.change.label[points.labels[l]] = fit.label(l);
    found.candidates.push_back(std::move(candidate));
  }
  weigh(found.candidates);
  found.applied.temper = 0;
  for (const RecalibrationCandidate& each : found.candidates) {
    found.applied.offset += each.weight * each.change.offset;
    found.applied.temper += each.weight * each.change.temper;
    for (std::size_t l = 0; l < labels; ++l)
      found.applied.label[l] += each.weight * each.change.label[l];
  }
  return found;
}

}  // namespace sieve
