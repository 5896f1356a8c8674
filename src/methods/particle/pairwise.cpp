#include "methods/particle/pairwise.h"

#include <algorithm>
#include <cmath>

#include "base/stage_progress.h"
#include "linalg/entries.h"
#include "linalg/products.h"
#include "linalg/ridge.h"

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

namespace {

constexpr std::size_t kRowsAtOnce = 64;

// Calls visit(classifier, j, k) for each pair of labels j < k.
template <class Visit>
void for_each_pair(std::size_t labels, Visit&& visit) {
  std::size_t classifier = 0;
  for (std::size_t j = 0; j < labels; ++j)
    for (std::size_t k = j + 1; k < labels; ++k) visit(classifier++, j, k);
}

void write_column(const LinearSvm& svm, std::size_t column, MatrixD& weights) {
  for (std::size_t j = 0; j < svm.weights.size(); ++j) weights(j, column) = svm.weights[j];
  weights(svm.weights.size(), column) = svm.bias;
}

// A matrix for rows as they are stored: the shift that sparse rows lack goes into the bias.
MatrixD for_stored_rows(const MatrixD& weights, const ScaledRows& rows) {
  MatrixD out = weights.clone();
  const std::size_t bias = rows.shift.size();
  for (std::size_t j = 0; j < bias; ++j)
    for (std::size_t p = 0; p < out.cols(); ++p) out(bias, p) += rows.shift[j] * weights(j, p);
  return out;
}

double share_right(const LinearSvm& svm, const ScaledRows& rows, const PairRows& sides) {
  MatrixD column(svm.weights.size() + 1, 1);
  write_column(svm, 0, column);
  const MatrixD stored = for_stored_rows(column, rows);
  std::size_t right = 0;
  double output = 0;
  for (const std::size_t i : sides.positive) {
    ridge_scores(stored, rows.x, i, {&output, 1});
    right += output > 0;
  }
  for (const std::size_t i : sides.negative) {
    ridge_scores(stored, rows.x, i, {&output, 1});
    right += output <= 0;
  }
  return static_cast<double>(right) /
         static_cast<double>(sides.positive.size() + sides.negative.size());
}

}  // namespace

PairRows pair_rows(const LabelMatrix& candidates, const LabelMatrix& credible, std::size_t j,
                   std::size_t k) {
  PairRows sides;
  for (std::size_t i = 0; i < candidates.rows(); ++i) {
    const bool first = credible.get(i, j) && !candidates.get(i, k);
    const bool second = credible.get(i, k) && !candidates.get(i, j);
    if (first && !second) sides.positive.push_back(i);
    if (second && !first) sides.negative.push_back(i);
  }
  return sides;
}

PairRows virtual_rows(const LabelMatrix& candidates, const LabelMatrix& credible, std::size_t j) {
  PairRows sides;
  for (std::size_t i = 0; i < candidates.rows(); ++i) {
    if (credible.get(i, j))
      sides.positive.push_back(i);
    else if (!candidates.get(i, j))
      sides.negative.push_back(i);
  }
  return sides;
}

PairwiseClassifiers train_pairwise(const ScaledRows& rows, const LabelMatrix& candidates,
                                   const LabelMatrix& credible, Virtual with_virtual, double c,
                                   ThreadPool& pool, Progress& progress) {
  PairwiseClassifiers out;
  out.labels = candidates.labels();
  std::vector<std::pair<std::size_t, std::size_t>> members;  // k = labels: the virtual label
  for_each_pair(out.labels,
                [&](std::size_t, std::size_t j, std::size_t k) { members.emplace_back(j, k); });
  for (std::size_t j = 0; j < out.labels && with_virtual == Virtual::With; ++j)
    members.emplace_back(j, out.labels);
  out.weights = MatrixD(rows.x.cols() + 1, members.size());
  out.accuracy.resize(members.size());
  const SvmTrainer trainer(rows, c);
  for_each_with_progress(
      pool, progress, "training classifiers", members.size(), [&](std::size_t p) {
        const auto [j, k] = members[p];
        const PairRows sides = k < out.labels ? pair_rows(candidates, credible, j, k)
                                              : virtual_rows(candidates, credible, j);
        if (sides.positive.empty() || sides.negative.empty()) return;
        const LinearSvm svm = trainer.train(sides.positive, sides.negative);
        out.accuracy[p] = share_right(svm, rows, sides);
        write_column(svm, p, out.weights);
      });
  return out;
}

void for_each_output(
    const PairwiseClassifiers& classifiers, const ScaledRows& rows, ThreadPool& pool,
    const std::function<void(std::size_t row, std::span<const double> outputs)>& take) {
  const MatrixD weights = for_stored_rows(classifiers.weights, rows);
  pool.for_blocks(rows.rows(), kRowsAtOnce, [&](std::size_t first, std::size_t last) {
    std::vector<double> outputs(weights.cols());
    for (std::size_t i = first; i < last; ++i) {
      ridge_scores(weights, rows.x, i, outputs);
      take(i, outputs);
    }
  });
}

std::vector<double> weighted_votes(const PairwiseClassifiers& classifiers,
                                   std::span<const double> outputs) {
  const std::size_t labels = classifiers.labels, pairs = classifiers.pairs();
  std::vector<double> votes(labels + 1);
  const auto vote = [&](std::size_t p, std::size_t first, std::size_t second) {
    votes[outputs[p] > 0 ? first : second] += classifiers.accuracy[p];
  };
  for_each_pair(labels, vote);
  for (std::size_t j = 0; j < labels; ++j) vote(pairs + j, j, labels);
  return votes;
}

std::vector<std::size_t> pairwise_wins(const PairwiseClassifiers& classifiers,
                                       std::span<const double> outputs) {
  std::vector<std::size_t> halves(classifiers.labels);
  for_each_pair(classifiers.labels, [&](std::size_t p, std::size_t j, std::size_t k) {
    const bool missing = classifiers.accuracy[p] <= 0, first = outputs[p] > 0;
    halves[j] += missing ? 1 : 2 * first;
    halves[k] += missing ? 1 : 2 * !first;
  });
  for (std::size_t& count : halves) count /= 2;
  return halves;
}

}  // namespace sieve
