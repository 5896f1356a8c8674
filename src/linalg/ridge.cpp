#include "linalg/ridge.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>
#include <vector>

#include "linalg/entries.h"

namespace sieve {
namespace {

constexpr std::size_t kChunks = 8;            // fixed, so that sums do not depend on the threads
constexpr std::size_t kGramColumns = 1024;    // up to here X^T X is formed once
constexpr std::size_t kMostIterations = 300;  // more only polishes what rounding spoils
constexpr double kTolerance = 1e-8;           // of the residual, relative to the right-hand side

template <class Visit>
void for_each_entry_and_one(const Features& x, std::size_t row, Visit&& visit) {
  for_each_entry(x, row, visit);
  visit(x.cols(), 1.0F);
}

// The sum over all rows of what add(row, sum) adds to a rows x cols matrix.
MatrixD sum_over_rows(std::size_t data_rows, std::size_t rows, std::size_t cols, ThreadPool& pool,
                      const std::function<void(std::size_t, MatrixD&)>& add) {
  std::vector<MatrixD> sums(kChunks);
  pool.for_each(kChunks, [&](std::size_t c) {
    sums[c] = MatrixD(rows, cols);
    for (std::size_t i = data_rows * c / kChunks; i < data_rows * (c + 1) / kChunks; ++i)
      add(i, sums[c]);
  });
  for (std::size_t c = 1; c < kChunks; ++c)
    for (std::size_t j = 0; j < rows; ++j) axpy(1, sums[c].row(j), sums[0].row(j));
  return std::move(sums[0]);
}

// V -> (X^T X + penalty I) V, where X includes the column of ones.
class NormalMatrix {
 public:
  NormalMatrix(const Features& x, double penalty, ThreadPool& pool)
      : x_(x), penalty_(penalty), pool_(pool), size_(x.cols() + 1) {
    if (x.cols() <= kGramColumns) gram_ = form_gram();
  }

  MatrixD times(const MatrixD& v) const {
    MatrixD out = gram_.rows() > 0 ? times_gram(v) : times_rows(v);
    for (std::size_t j = 0; j < size_; ++j) axpy(penalty_, v.row(j), out.row(j));
    return out;
  }

 private:
  MatrixD form_gram() const {
    return sum_over_rows(x_.rows(), size_, size_, pool_, [&](std::size_t i, MatrixD& sum) {
      for_each_entry_and_one(x_, i, [&](std::size_t a, double left) {
        double* const out = sum.row(a).data();
        for_each_entry_and_one(x_, i, [&](std::size_t b, double right) { out[b] += left * right; });
      });
    });
  }

  MatrixD times_gram(const MatrixD& v) const {
    MatrixD out(size_, v.cols());
    pool_.for_blocks(size_, 32, [&](std::size_t first, std::size_t last) {
      for (std::size_t a = first; a < last; ++a)
        for (std::size_t b = 0; b < size_; ++b) axpy(gram_(a, b), v.row(b), out.row(a));
    });
    return out;
  }

  MatrixD times_rows(const MatrixD& v) const {
    return sum_over_rows(x_.rows(), size_, v.cols(), pool_, [&](std::size_t i, MatrixD& sum) {
      std::vector<double> product(v.cols());
      ridge_scores(v, x_, i, product);
      for_each_entry_and_one(
          x_, i, [&](std::size_t j, double value) { axpy(value, product, sum.row(j)); });
    });
  }

  const Features& x_;
  double penalty_;
  ThreadPool& pool_;
  std::size_t size_;
  MatrixD gram_;
};

// One inner product a column.
std::vector<double> dots(const MatrixD& a, const MatrixD& b) {
  std::vector<double> sums(a.cols());
  for (std::size_t j = 0; j < a.rows(); ++j)
    for (std::size_t k = 0; k < a.cols(); ++k) sums[k] += a(j, k) * b(j, k);
  return sums;
}

// to += scale[k] * from, column by column.
void add_scaled(MatrixD& to, std::span<const double> scale, const MatrixD& from) {
  for (std::size_t j = 0; j < to.rows(); ++j)
    for (std::size_t k = 0; k < to.cols(); ++k) to(j, k) += scale[k] * from(j, k);
}

// Conjugate gradients from zero, all right-hand sides side by side; a column that is done rests.
MatrixD solve(const NormalMatrix& a, MatrixD residual) {
  MatrixD solution(residual.rows(), residual.cols()), direction = residual.clone();
  std::vector<double> now = dots(residual, residual), goal = now;
  for (double& square : goal) square *= kTolerance * kTolerance;
  std::vector<double> step(now.size()), turn(now.size());
  for (std::size_t t = 0; t < kMostIterations; ++t) {
    if (std::ranges::equal(now, goal, std::less_equal{})) break;
    const MatrixD image = a.times(direction);
    const std::vector<double> curvature = dots(direction, image);
    for (std::size_t k = 0; k < now.size(); ++k)
      step[k] = now[k] > goal[k] ? now[k] / curvature[k] : 0;
    add_scaled(solution, step, direction);
    for (double& s : step) s = -s;
    add_scaled(residual, step, image);
    const std::vector<double> next = dots(residual, residual);
    for (std::size_t k = 0; k < now.size(); ++k) turn[k] = now[k] > goal[k] ? next[k] / now[k] : 0;
    MatrixD turned = residual.clone();
    add_scaled(turned, turn, direction);
    direction = std::move(turned);
    now = next;
  }
  return solution;
}

}  // namespace

MatrixD fit_ridge(const Features& x, const LabelMatrix& y, double penalty, ThreadPool& pool) {
  MatrixD right =
      sum_over_rows(x.rows(), x.cols() + 1, y.labels(), pool, [&](std::size_t i, MatrixD& sum) {
        for_each_entry_and_one(x, i, [&](std::size_t j, double value) {
          y.for_each(i, [&](std::size_t k) { sum(j, k) += value; });
        });
      });
  return solve(NormalMatrix(x, penalty, pool), std::move(right));
}

void ridge_scores(const MatrixD& weights, const Features& x, std::size_t row,
                  std::span<double> scores) {
  std::ranges::fill(scores, 0.0);
  for_each_entry_and_one(x, row,
                         [&](std::size_t j, double value) { axpy(value, weights.row(j), scores); });
}

}  // namespace sieve
