#include "linalg/ridge.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/random.h"

namespace sieve {
namespace {

struct Problem {
  Matrix x;
  LabelMatrix y;
};

Problem random_problem(std::size_t rows, std::size_t cols, double density) {
  Problem p{Matrix(rows, cols), LabelMatrix(rows, 3)};
  for (std::size_t i = 0; i < rows; ++i) {
    Random random(4, Purpose::Test, 0, i);
    for (float& value : p.x.row(i))
      if (random.chance(density)) value = static_cast<float>(random.uniform(-1, 1));
    for (std::size_t k = 0; k < 2; ++k) p.y.set(i, k, p.x(i, k) + 0.3 * random.normal() > 0);
  }
  return p;
}

// The gradient of the ridge objective must vanish: [X, 1]^T ([X, 1] W - Y) + penalty W = 0.
double largest_gradient(const Features& x, const LabelMatrix& y, double penalty, const MatrixD& w) {
  MatrixD gradient(w.rows(), w.cols());
  std::vector<double> scores(w.cols());
  std::vector<float> row(x.cols());
  for (std::size_t i = 0; i < x.rows(); ++i) {
    ridge_scores(w, x, i, scores);
    x.copy_row(i, row);
    for (std::size_t k = 0; k < w.cols(); ++k) {
      const double off = scores[k] - (y.get(i, k) ? 1 : 0);
      for (std::size_t j = 0; j < x.cols(); ++j)
        gradient(j, k) += static_cast<double>(row[j]) * off;
      gradient(x.cols(), k) += off;
    }
  }
  double largest = 0;
  for (std::size_t j = 0; j < w.rows(); ++j)
    for (std::size_t k = 0; k < w.cols(); ++k)
      largest = std::max(largest, std::abs(gradient(j, k) + penalty * w(j, k)));
  return largest;
}

TEST(Ridge, finds_the_minimum_narrow_and_wide_dense_and_sparse) {
  ThreadPool pool(2);
  for (const std::size_t cols : {5U, 1100U}) {
    Problem p = random_problem(200, cols, 0.2);
    const Features dense(std::move(p.x));
    const Features sparse = dense.to_sparse();
    for (const Features* x : {&dense, &sparse})
      EXPECT_LT(largest_gradient(*x, p.y, 1, fit_ridge(*x, p.y, 1, pool)), 1e-5);
  }
}

TEST(Ridge, gives_the_answer_worked_out_by_hand) {
  // x = 1, 0 and y = 1, 0 with penalty 1: (2w + b, w + 3b) = (1, 1), so w = 2/5 and b = 1/5.
  ThreadPool pool(1);
  Matrix x(2, 1);
  x(0, 0) = 1;
  LabelMatrix y(2, 1);
  y.set(0, 0);
  const MatrixD w = fit_ridge(std::move(x), y, 1, pool);
  EXPECT_NEAR(w(0, 0), 0.4, 1e-9);
  EXPECT_NEAR(w(1, 0), 0.2, 1e-9);
}

TEST(Ridge, a_label_that_never_occurs_gets_zero_weights) {
  ThreadPool pool(1);
  Problem p = random_problem(50, 4, 1);
  const MatrixD w = fit_ridge(std::move(p.x), p.y, 1, pool);
  for (std::size_t j = 0; j < w.rows(); ++j) EXPECT_EQ(w(j, 2), 0.0);
}

// A target in units of the first column, which columns of any scale and offset lead to.
TEST(ScaledRidge, does_not_mind_the_scale_of_dense_columns) {
  ThreadPool pool(2);
  Problem p = random_problem(200, 5, 1);
  Matrix y(200, 1), other = p.x.clone();
  for (std::size_t i = 0; i < 200; ++i) {
    y(i, 0) = 3 + 2 * p.x(i, 0) - p.x(i, 3);
    other(i, 3) = 1000 * other(i, 3) - 50;
  }
  const Features x(std::move(p.x)), scaled(std::move(other));
  const MatrixD w = fit_scaled_ridge(x, y, 1e-6, pool), v = fit_scaled_ridge(scaled, y, 1e-6, pool);
  std::vector<double> by_w(1), by_v(1);
  for (std::size_t i = 0; i < 200; ++i) {
    ridge_scores(w, x, i, by_w);
    ridge_scores(v, scaled, i, by_v);
    EXPECT_NEAR(by_w[0], double{y(i, 0)}, 0.02);
    EXPECT_NEAR(by_v[0], double{y(i, 0)}, 0.02);
  }
}

TEST(ScaledRidge, shrinks_towards_the_mean_and_takes_labels_in_blocks) {
  ThreadPool pool(2);
  Problem p = random_problem(40, 30'000, 0.01);  // six labels at once
  Matrix y(40, 9);
  for (std::size_t i = 0; i < 40; ++i)
    for (std::size_t k = 0; k < 9; ++k) y(i, k) = static_cast<float>(k) + p.x(i, k % 3);
  const Features x = Features(std::move(p.x)).to_sparse();
  const MatrixD weights = fit_scaled_ridge(x, y, 1e9, pool);
  std::vector<double> scores(9);
  ridge_scores(weights, x, 7, scores);
  for (std::size_t k = 0; k < 9; ++k) {
    double mean = 0;
    for (std::size_t i = 0; i < 40; ++i) mean += double{y(i, k)} / 40;
    EXPECT_NEAR(scores[k], mean, 1e-3);
  }
}

TEST(ScaledRidge, a_column_that_never_changes_says_nothing) {
  ThreadPool pool(1);
  Matrix x(4, 2), y(4, 1);
  for (std::size_t i = 0; i < 4; ++i) {
    x(i, 0) = 7;
    x(i, 1) = y(i, 0) = static_cast<float>(i);
  }
  const MatrixD w = fit_scaled_ridge(Features(std::move(x)), y, 1e-6, pool);
  EXPECT_EQ(w(0, 0), 0);
  EXPECT_NEAR(w(1, 0), 1, 1e-3);
}

TEST(Ridge, same_bits_for_any_number_of_threads) {
  for (const std::size_t cols : {20U, 1100U}) {
    Problem p = random_problem(300, cols, 0.3);
    const Features x(std::move(p.x));
    ThreadPool one(1);
    const MatrixD expected = fit_ridge(x, p.y, 1, one);
    Matrix y(300, 2);
    for (std::size_t i = 0; i < 300; ++i) y(i, 0) = p.y.get(i, 0) ? 1.5F : -0.5F;
    const MatrixD scaled = fit_scaled_ridge(x, y, 1, one);
    for (const std::size_t threads : {2U, 3U, 8U}) {
      ThreadPool pool(threads);
      const MatrixD w = fit_ridge(x, p.y, 1, pool);
      for (std::size_t j = 0; j < w.rows(); ++j)
        EXPECT_TRUE(std::ranges::equal(w.row(j), expected.row(j)));
      const MatrixD again = fit_scaled_ridge(x, y, 1, pool);
      for (std::size_t j = 0; j < w.rows(); ++j)
        EXPECT_TRUE(std::ranges::equal(again.row(j), scaled.row(j)));
    }
  }
}

}  // namespace
}  // namespace sieve
