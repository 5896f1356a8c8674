#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

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

// How far the penalised log likelihood bends: offset and temper with each other and with the shift
// of each label, labels not with each other. So solving costs as much as there are labels.
class Curvature {
 public:
  Curvature(double offset, double temper, std::size_t labels, double label)
      : offset_(offset), temper_(temper), labels_(labels, {0, 0, label}) {}

  void add(double scale, double x, std::size_t label) {
    offset_ += scale, both_ += scale * x, temper_ += scale * x * x;
    if (labels_.empty()) return;
    Label& own = labels_[label];
    own.offset += scale, own.temper += scale * x, own.own += scale;
  }
  // What labels take up is out of offset and temper then.
  void finish() {
    for (const Label& own : labels_) {
      offset_ -= own.offset * own.offset / own.own;
      both_ -= own.offset * own.temper / own.own;
      temper_ -= own.temper * own.temper / own.own;
    }
  }
  // offset, temper, labels
  std::vector<double> solve(std::vector<double> b) const {
    for (std::size_t l = 0; l < labels_.size(); ++l) {
      b[0] -= labels_[l].offset * b[2 + l] / labels_[l].own;
      b[1] -= labels_[l].temper * b[2 + l] / labels_[l].own;
    }
    std::tie(b[0], b[1]) = solve_common(b[0], b[1]);
    for (std::size_t l = 0; l < labels_.size(); ++l)
      b[2 + l] = (b[2 + l] - labels_[l].offset * b[0] - labels_[l].temper * b[1]) / labels_[l].own;
    return b;
  }
  // How far a decision there moves its own log-odds.
  double leverage(double x, std::size_t label) const {
    if (labels_.empty()) {
      const auto [offset, temper] = solve_common(1, x);
      return offset + x * temper;
    }
    const Label& own = labels_[label];
    const auto [offset, temper] = solve_common(1 - own.offset / own.own, x - own.temper / own.own);
    return offset + x * temper + (1 - own.offset * offset - own.temper * temper) / own.own;
  }

 private:
  struct Label {
    double offset, temper, own;
  };
  std::pair<double, double> solve_common(double u, double v) const {
    const double all = offset_ * temper_ - both_ * both_;
    return {(u * temper_ - v * both_) / all, (v * offset_ - u * both_) / all};
  }
  double offset_, both_ = 0, temper_;
  std::vector<Label> labels_;
};

// Penalised logistic regression of one form; coefficients: offset, temper, labels.
class Fit {
 public:
  Fit(const Form& form, std::span<const Point> points, std::size_t labels)
      : points_(points), form_(form) {
    coefficients_.resize(2 + (form.label_deviation > 0 ? labels : 0));
    for (int step = 0; step < kMostSteps && improve(); ++step) {
    }
  }

  double offset() const { return coefficients_[0]; }
  double temper() const { return 1 + coefficients_[1]; }
  double label(std::size_t l) const { return coefficients_.size() > 2 ? coefficients_[2 + l] : 0; }

  // The log likelihood of each decision by a fit to the others, to first order.
  double left_out() const {
    const Curvature bends = curvature();
    double sum = 0;
    for (const Point& point : points_) {
      const double h = bends.leverage(tempered(point), point.label);
      const double x = moved(point), p = logistic(x);
      const double without =
          x - point.weight * (point.y - p) * h / std::max(1 - point.weight * p * (1 - p) * h, 0.05);
      sum += point.weight * log_logistic(point.y > 0 ? without : -without);
    }
    return sum;
  }

 private:
  double precision(std::size_t coefficient) const {
    const double deviation = coefficient == 0   ? kOffsetDeviation
                             : coefficient == 1 ? kTemperDeviation
                                                : form_.label_deviation;
    return 1 / (deviation * deviation);
  }
  double tempered(const Point& point) const { return form_.temper ? point.x : 0; }
  double moved(const Point& point) const {
    return temper() * point.x + offset() + label(point.label);
  }
  Curvature curvature() const {
    const std::size_t labels = coefficients_.size() - 2;
    Curvature bends(precision(0), precision(1), labels, labels > 0 ? precision(2) : 0);
    for (const Point& point : points_) {
      const double p = logistic(moved(point));
      bends.add(point.weight * p * (1 - p), tempered(point), point.label);
    }
    bends.finish();
    return bends;
  }
  // One step of Newton's method; whether it moved anything.
  bool improve() {
    std::vector<double> gradient(coefficients_.size());
    for (std::size_t i = 0; i < gradient.size(); ++i)
      gradient[i] = -precision(i) * coefficients_[i];
    for (const Point& point : points_) {
      const double rest = point.weight * (point.y - logistic(moved(point)));
      gradient[0] += rest;
      gradient[1] += rest * tempered(point);
      if (gradient.size() > 2) gradient[2 + point.label] += rest;
    }
    const std::vector<double> step = curvature().solve(std::move(gradient));
    double longest = 0;
    for (const double each : step) longest = std::max(longest, std::fabs(each));
    const double scale = longest > kLongestStep ? kLongestStep / longest : 1;
    for (std::size_t i = 0; i < step.size(); ++i) coefficients_[i] += scale * step[i];
    return longest > 1e-12;
  }

  std::span<const Point> points_;
  const Form& form_;
  std::vector<double> coefficients_;
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
  points.labels.erase(std::unique(points.labels.begin(), points.labels.end()), points.labels.end());
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
