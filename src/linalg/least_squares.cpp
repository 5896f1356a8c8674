#include <algorithm>
#include <cassert>
#include <cmath>
#include <vector>

#include "linalg/blas.h"
#include "linalg/dense.h"
#include "linalg/least_squares.h"

namespace sieve {
namespace {

constexpr double kTolerance = 1e-10;  // relative; gradients and pivots below count as zero

class ActiveSets {
 public:
  ActiveSets(const MatrixD& gram, std::span<const double> right)
      : gram_(gram), right_(right), size_(right.size()), weights_(size_), factor_(size_, size_) {
    for (const double value : right) scale_ = std::max(scale_, std::abs(value));
  }

  std::vector<double> run() {
    std::vector<bool> barred(size_);  // would not help, or depends on those in use
    for (std::size_t steps = 0; steps < 10 * size_; ++steps) {
      const std::size_t next = steepest(barred);
      if (next == size_) break;
      used_.push_back(next);
      if (!factorise() || solve().back() <= 0) {
        used_.pop_back();
        barred[next] = true;
        continue;
      }
      retreat_until_feasible();
      barred.assign(size_, false);
    }
    return std::move(weights_);
  }

 private:
  bool in_use(std::size_t j) const { return std::ranges::find(used_, j) != used_.end(); }

  // The column whose weight lowers the objective most steeply, `size_` if none does.
  std::size_t steepest(const std::vector<bool>& barred) const {
    std::size_t best = size_;
    double most = kTolerance * scale_;
    for (std::size_t j = 0; j < size_; ++j) {
      if (barred[j] || in_use(j)) continue;
      double slope = right_[j];
      for (const std::size_t u : used_) slope -= gram_(j, u) * weights_[u];
      if (slope > most) best = j, most = slope;
    }
    return best;
  }

  // Cholesky of the Gram matrix of the columns in use; false if the last depends on the others.
  bool factorise() {
    for (std::size_t a = 0; a < used_.size(); ++a)
      for (std::size_t b = 0; b <= a; ++b) {
        double rest = gram_(used_[a], used_[b]);
        for (std::size_t c = 0; c < b; ++c) rest -= factor_(a, c) * factor_(b, c);
        if (a == b && !(rest > kTolerance * gram_(used_[a], used_[a]))) return false;
        factor_(a, b) = a == b ? std::sqrt(rest) : rest / factor_(b, b);
      }
    return true;
  }

  // The unconstrained weights of the columns in use.
  std::vector<double> solve() const {
    std::vector<double> x(used_.size());
    for (std::size_t a = 0; a < x.size(); ++a) {
      x[a] = right_[used_[a]];
      for (std::size_t b = 0; b < a; ++b) x[a] -= factor_(a, b) * x[b];
      x[a] /= factor_(a, a);
    }
    for (std::size_t a = x.size(); a-- > 0;) {
      for (std::size_t b = a + 1; b < x.size(); ++b) x[a] -= factor_(b, a) * x[b];
      x[a] /= factor_(a, a);
    }
    return x;
  }

  // Walks towards the unconstrained weights and lets go of columns that reach zero on the way.
  void retreat_until_feasible() {
    while (true) {
      const std::vector<double> goal = solve();
      double step = 1;
      std::size_t blocking = used_.size();
      for (std::size_t a = 0; a < used_.size(); ++a) {
        if (goal[a] > 0) continue;
        const double now = weights_[used_[a]];
        const double reach = now > 0 ? now / (now - goal[a]) : 0;
        if (reach < step) step = reach, blocking = a;
      }
      for (std::size_t a = 0; a < used_.size(); ++a) {
        double& weight = weights_[used_[a]];
        weight = std::max(0.0, weight + step * (goal[a] - weight));
      }
      if (blocking == used_.size()) return;
      weights_[used_[blocking]] = 0;
      used_.erase(used_.begin() + static_cast<std::ptrdiff_t>(blocking));
      factorise();
    }
  }

  const MatrixD& gram_;
  std::span<const double> right_;
  std::size_t size_;
  double scale_ = 0;
  std::vector<double> weights_;
  std::vector<std::size_t> used_;
  MatrixD factor_;
};

}  // namespace

std::vector<double> nonnegative_least_squares(const MatrixD& gram, std::span<const double> right) {
  return ActiveSets(gram, right).run();
}

namespace {

constexpr double kSmallest = 1e-12;  // a singular value
constexpr double kRounding = 1e-15;  // of the largest square

// vectors' diag(f(s) / s) vectors, where squares s^2 are the eigenvalues
MatrixD factor(const SymmetricEigen& eigen, const std::function<double(double)>& f,
               ThreadPool& pool) {
  MatrixD scaled(eigen.vectors.rows(), eigen.vectors.cols());
  for (std::size_t r = 0; r < scaled.rows(); ++r) {
    const double square = eigen.values[r], s = std::sqrt(std::max(square, 0.0));
    if (s < kSmallest || square < kRounding * eigen.values.back()) continue;
    const double ratio = f(s) / s;
    for (std::size_t j = 0; j < scaled.cols(); ++j) scaled(r, j) = ratio * eigen.vectors(r, j);
  }
  return transposed_times(eigen.vectors, scaled, pool);
}

}  // namespace

MatrixD map_singular_values(const MatrixD& a, const std::function<double(double)>& f,
                            ThreadPool& pool) {
  if (a.cols() <= a.rows())
    return times(a, factor(symmetric_eigen(transposed_times(a, a, pool)), f, pool), pool);
  return times(factor(symmetric_eigen(times_transposed(a, a, pool)), f, pool), a, pool);
}

namespace {

constexpr int kPanel = 32;  // columns that are rotated together

}  // namespace

StreamedLeastSquares::StreamedLeastSquares(std::size_t unknowns, std::size_t right_sides)
    : unknowns_(unknowns), triangle_(unknowns + right_sides, unknowns + right_sides) {}

void StreamedLeastSquares::add(MatrixD rows) {
  assert(rows.rows() == triangle_.rows());
  if (rows.cols() == 0 || rows.rows() == 0) return;
  const BlasScope blas;
  const int m = static_cast<int>(rows.cols()), n = static_cast<int>(triangle_.rows()), none = 0,
            panel = std::min(kPanel, n), lda = static_cast<int>(triangle_.stride()),
            ldb = static_cast<int>(rows.stride());
  const auto room = static_cast<std::size_t>(panel) * triangle_.rows();
  std::vector<double> reflectors(room), work(room);
  int info = 0;
  blas->dtpqrt(&m, &n, &none, &panel, triangle_.data(), &lda, rows.data(), &ldb, reflectors.data(),
               &panel, work.data(), &info);
  assert(info == 0);
}

MatrixD StreamedLeastSquares::solve(double smallest) const {
  MatrixD left(unknowns_, unknowns_), right(unknowns_, triangle_.rows() - unknowns_);
  for (std::size_t j = 0; j < triangle_.rows(); ++j)
    for (std::size_t i = 0; i <= std::min(j, unknowns_ - 1); ++i)
      (j < unknowns_ ? left(i, j) : right(i, j - unknowns_)) = triangle_(j, i);
  return least_squares(left, right, smallest);
}

}  // namespace sieve
