#include "methods/particle/linear_svm.h"

#include <algorithm>
#include <cmath>

#include "linalg/entries.h"
#include "linalg/row_products.h"

namespace sieve {
namespace {

constexpr std::size_t kMostNewton = 50, kMostGradients = 250, kMostHalvings = 40;
constexpr double kTolerance = 1e-3;   // of the gradient, relative to the start
constexpr double kForcing = 0.1;      // of the residual of a Newton step, relative to the gradient
constexpr double kEnoughGain = 1e-4;  // Armijo

using Vector = std::vector<double>;  // one entry a feature, then the bias

double inner(const Vector& a, const Vector& b) {
  double sum = 0;
  for (std::size_t j = 0; j < a.size(); ++j) sum += a[j] * b[j];
  return sum;
}

void add_scaled(double factor, const Vector& from, Vector& to) {
  for (std::size_t j = 0; j < to.size(); ++j) to[j] += factor * from[j];
}

// The rows of both sides, centred without being written out.
class TwoSides {
 public:
  TwoSides(const Features& x, const Vector& centre, std::span<const std::size_t> positive,
           std::span<const std::size_t> negative)
      : x_(x), centre_(centre), rows_(positive.begin(), positive.end()) {
    rows_.insert(rows_.end(), negative.begin(), negative.end());
    sign_.assign(rows_.size(), -1.0);
    std::fill_n(sign_.begin(), positive.size(), 1.0);
  }

  std::size_t rows() const { return rows_.size(); }
  std::size_t size() const { return x_.cols() + 1; }
  double sign(std::size_t i) const { return sign_[i]; }

  // [x - centre, 1] . v for one row
  double times(std::size_t i, const Vector& v, double at_centre) const {
    return row_dot(rows_[i], v) - at_centre + v.back();
  }
  double at_centre(const Vector& v) const {
    double sum = 0;
    for (std::size_t j = 0; j < centre_.size(); ++j) sum += centre_[j] * v[j];
    return sum;
  }
  // out += factor * x, and factor counted in out.back(): see `close`.
  void add(std::size_t i, double factor, Vector& out) const {
    out.back() += factor;
    if (!x_.is_sparse())
      return sieve::add_scaled(factor, x_.dense().row(rows_[i]).data(), x_.cols(), out.data());
    for_each_entry(x_, rows_[i], [&](std::size_t j, double value) { out[j] += factor * value; });
  }
  // Takes the centre of all rows that were added out again.
  void close(Vector& out) const {
    for (std::size_t j = 0; j < centre_.size(); ++j) out[j] -= out.back() * centre_[j];
  }

 private:
  double row_dot(std::size_t row, const Vector& v) const {
    if (!x_.is_sparse()) return dot(x_.dense().row(row).data(), v.data(), x_.cols());
    double sum = 0;
    for_each_entry(x_, row, [&](std::size_t j, double value) { sum += value * v[j]; });
    return sum;
  }

  const Features& x_;
  const Vector& centre_;
  std::vector<std::size_t> rows_;
  std::vector<double> sign_;
};

class Newton {
 public:
  Newton(const TwoSides& sides, double c)
      : sides_(sides), c_(c), solution_(sides.size()), outputs_(sides.rows()) {}

  Vector run() {
    Vector gradient = gradient_here();
    const double goal = kTolerance * std::sqrt(inner(gradient, gradient));
    for (std::size_t t = 0; t < kMostNewton; ++t) {
      if (std::sqrt(inner(gradient, gradient)) <= goal) break;
      if (!move(newton_step(gradient), gradient)) break;
      gradient = gradient_here();
    }
    return std::move(solution_);
  }

 private:
  double shortfall(std::size_t i, double output) const {
    return std::max(0.0, 1 - sides_.sign(i) * output);
  }
  // The weights' part of a vector: the bias costs nothing.
  static Vector charged(const Vector& v) {
    Vector out = v;
    out.back() = 0;
    return out;
  }

  Vector gradient_here() {
    Vector sum(sides_.size());
    short_.clear();
    for (std::size_t i = 0; i < sides_.rows(); ++i) {
      const double missing = shortfall(i, outputs_[i]);
      if (missing <= 0) continue;
      short_.push_back(i);
      sides_.add(i, -2 * c_ * sides_.sign(i) * missing, sum);
    }
    sides_.close(sum);
    add_scaled(1, charged(solution_), sum);
    return sum;
  }

  Vector hessian_times(const Vector& v) const {
    Vector sum(sides_.size());
    const double at_centre = sides_.at_centre(v);
    for (const std::size_t i : short_) sides_.add(i, 2 * c_ * sides_.times(i, v, at_centre), sum);
    sides_.close(sum);
    add_scaled(1, charged(v), sum);
    return sum;
  }

  // Conjugate gradients for H step = -gradient.
  Vector newton_step(const Vector& gradient) const {
    Vector step(gradient.size()), residual(gradient.size());
    add_scaled(-1, gradient, residual);
    Vector direction = residual;
    double now = inner(residual, residual);
    const double goal = kForcing * kForcing * now;
    for (std::size_t t = 0; t < kMostGradients && now > goal; ++t) {
      const Vector image = hessian_times(direction);
      const double curvature = inner(direction, image);
      if (curvature <= 0) break;
      add_scaled(now / curvature, direction, step);
      add_scaled(-now / curvature, image, residual);
      const double next = inner(residual, residual);
      for (double& value : direction) value *= next / now;
      add_scaled(1, residual, direction);
      now = next;
    }
    return step;
  }

  double objective(double square, const Vector& direction_outputs, double t) const {
    double loss = 0;
    for (std::size_t i = 0; i < outputs_.size(); ++i) {
      const double missing = shortfall(i, outputs_[i] + t * direction_outputs[i]);
      loss += missing * missing;
    }
    return square / 2 + c_ * loss;
  }

  // The first of 1, 1/2, 1/4, ... of the step that gains enough; false if none does.
  bool move(const Vector& step, const Vector& gradient) {
    Vector along(sides_.rows());
    const double at_centre = sides_.at_centre(step);
    for (std::size_t i = 0; i < along.size(); ++i) along[i] = sides_.times(i, step, at_centre);
    const Vector weights = charged(solution_), turn = charged(step);
    const double ww = inner(weights, weights), wt = inner(weights, turn), tt = inner(turn, turn);
    const double before = objective(ww, along, 0), slope = inner(gradient, step);
    double t = 1;
    for (std::size_t h = 0; h < kMostHalvings; ++h, t /= 2) {
      if (objective(ww + 2 * t * wt + t * t * tt, along, t) > before + kEnoughGain * t * slope)
        continue;
      add_scaled(t, step, solution_);
      add_scaled(t, along, outputs_);
      return true;
    }
    return false;
  }

  const TwoSides& sides_;
  double c_;
  Vector solution_, outputs_;
  std::vector<std::size_t> short_;  // rows inside the margin or on the wrong side
};

}  // namespace

SvmTrainer::SvmTrainer(const ScaledRows& rows, double c)
    : rows_(rows), c_(c), centre_(rows.x.cols()) {
  for (std::size_t i = 0; i < rows.rows(); ++i)
    for_each_entry(rows.x, i, [&](std::size_t j, double value) { centre_[j] += value; });
  for (double& sum : centre_) sum /= static_cast<double>(std::max<std::size_t>(rows.rows(), 1));
}

LinearSvm SvmTrainer::train(std::span<const std::size_t> positive,
                            std::span<const std::size_t> negative) const {
  LinearSvm svm{Newton(TwoSides(rows_.x, centre_, positive, negative), c_).run()};
  svm.bias = svm.weights.back();
  svm.weights.pop_back();
  for (std::size_t j = 0; j < centre_.size(); ++j)
    svm.bias -= svm.weights[j] * (centre_[j] + rows_.shift[j]);
  return svm;
}

}  // namespace sieve
