#include "linalg/ridge.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>
#include <vector>

#include "base/require.h"
#include "linalg/entries.h"

namespace sieve {
namespace {

constexpr std::size_t kChunks = 8;            // fixed, so that sums do not depend on the threads
constexpr std::size_t kGramColumns = 1024;    // up to here X^T X is formed once
constexpr std::size_t kMostIterations = 300;  // more only polishes what rounding spoils
// Of the residual, relative to the right-hand side.
constexpr double kTolerance = 1e-8, kRoughTolerance = 1e-3;
constexpr std::size_t kNumbersAtOnce = 200'000;  // weights that are solved for side by side

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

// What columns are taken for: (x - mean) * factor, the one of ones included.
struct Columns {
  std::vector<double> mean, factor;
};

// Weights for columns as they are, of weights for columns as they are taken.
MatrixD unscaled(const Columns& columns, const MatrixD& w) {
  MatrixD out = w.clone();
  const std::span<double> intercept = out.row(out.rows() - 1);
  for (std::size_t j = 0; j + 1 < out.rows(); ++j) {
    for (double& weight : out.row(j)) weight *= columns.factor[j];
    axpy(-columns.mean[j], out.row(j), intercept);
  }
  return out;
}

// V -> (X^T X + penalty I) V, where X includes the column of ones, as the columns are taken.
class NormalMatrix {
 public:
  NormalMatrix(const Features& x, double penalty, ThreadPool& pool, const Columns* columns)
      : x_(x), penalty_(penalty), pool_(pool), columns_(columns), size_(x.cols() + 1) {
    if (x.cols() <= kGramColumns) gram_ = form_gram();
  }

  MatrixD times(const MatrixD& v) const {
    MatrixD out = columns_ == nullptr ? times_plain(v) : times_taken(v);
    for (std::size_t j = 0; j < size_; ++j) axpy(penalty_, v.row(j), out.row(j));
    return out;
  }

 private:
  MatrixD times_plain(const MatrixD& v) const {
    return gram_.rows() > 0 ? times_gram(v) : times_rows(v);
  }

  // The intercept of `unscaled` makes every product one of centred rows, and their sum is taken
  // off.
  MatrixD times_taken(const MatrixD& v) const {
    MatrixD out = times_plain(unscaled(*columns_, v));
    const std::span<const double> sum = out.row(size_ - 1);
    for (std::size_t j = 0; j + 1 < size_; ++j) {
      axpy(-columns_->mean[j], sum, out.row(j));
      for (double& value : out.row(j)) value *= columns_->factor[j];
    }
    std::ranges::fill(out.row(size_ - 1), 0.0);
    return out;
  }

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
  const Columns* columns_;  // null: as they are
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
MatrixD solve(const NormalMatrix& a, MatrixD residual, double tolerance) {
  MatrixD solution(residual.rows(), residual.cols()), direction = residual.clone();
  std::vector<double> now = dots(residual, residual), goal = now;
  for (double& square : goal) square *= tolerance * tolerance;
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
  return solve(NormalMatrix(x, penalty, pool, nullptr), std::move(right), kTolerance);
}

namespace {

// Means, and factors that give dense columns one variance, and bring the entries of sparse ones
// down to 1 where they are larger; the column of ones is taken for nothing. How long a row is then,
// squared, on average.
std::pair<Columns, double> columns_of(const Features& x, ThreadPool& pool) {
  const auto rows = static_cast<double>(x.rows());
  const MatrixD sums = sum_over_rows(x.rows(), x.cols(), 3, pool, [&](std::size_t i, MatrixD& sum) {
    for_each_entry(x, i, [&](std::size_t j, double value) {
      sum(j, 0) += value;
      sum(j, 1) += value * value;
      sum(j, 2) += 1;
    });
  });
  Columns columns{std::vector<double>(x.cols() + 1), std::vector<double>(x.cols() + 1)};
  double length = 0;
  for (std::size_t j = 0; j < x.cols(); ++j) {
    columns.mean[j] = sums(j, 0) / rows;
    const double square = sums(j, 1) / rows;
    const double variance = square - columns.mean[j] * columns.mean[j];
    if (variance <= 1e-12 * square) continue;  // the same everywhere: a factor of 0
    const double factor = x.is_sparse() ? 1 / std::max(1.0, std::sqrt(sums(j, 1) / sums(j, 2)))
                                        : 1 / std::sqrt(variance);
    columns.factor[j] = factor;
    length += variance * factor * factor;
  }
  return {std::move(columns), length};
}

}  // namespace

MatrixD fit_scaled_ridge(const Features& x, const Matrix& targets, double penalty,
                         ThreadPool& pool) {
  require(x.rows() > 0, "a regression on no rows");
  const auto [columns, length] = columns_of(x, pool);
  const std::size_t size = x.cols() + 1, labels = targets.cols();
  MatrixD weights(size, labels);
  const auto directions =
      static_cast<double>(std::max<std::size_t>(1, std::min(x.rows(), x.cols())));
  const double mean_square = length * static_cast<double>(x.rows()) / directions;
  const NormalMatrix matrix(x, penalty * std::max(mean_square, 1e-30), pool, &columns);
  const std::size_t at_once = std::max<std::size_t>(1, kNumbersAtOnce / size);
  for (std::size_t first = 0; first < labels; first += at_once) {
    const std::size_t count = std::min(at_once, labels - first);
    std::vector<double> mean(count);
    for (std::size_t i = 0; i < x.rows(); ++i)
      for (std::size_t k = 0; k < count; ++k) mean[k] += double{targets(i, first + k)};
    for (double& one : mean) one /= static_cast<double>(x.rows());
    MatrixD right = sum_over_rows(x.rows(), size, count, pool, [&](std::size_t i, MatrixD& sum) {
      for_each_entry_and_one(x, i, [&](std::size_t j, double value) {
        for (std::size_t k = 0; k < count; ++k)
          sum(j, k) += value * (double{targets(i, first + k)} - mean[k]);
      });
    });
    for (std::size_t j = 0; j < size; ++j)
      for (double& value : right.row(j)) value *= columns.factor[j];
    const MatrixD found = unscaled(columns, solve(matrix, std::move(right), kRoughTolerance));
    for (std::size_t j = 0; j < size; ++j)
      for (std::size_t k = 0; k < count; ++k)
        weights(j, first + k) = found(j, k) + (j + 1 == size ? mean[k] : 0);
  }
  return weights;
}

void ridge_scores(const MatrixD& weights, const Features& x, std::size_t row,
                  std::span<double> scores) {
  std::ranges::fill(scores, 0.0);
  for_each_entry_and_one(x, row,
                         [&](std::size_t j, double value) { axpy(value, weights.row(j), scores); });
}

}  // namespace sieve
