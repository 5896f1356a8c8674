#include "linalg/least_squares.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/random.h"

namespace sieve {
namespace {

struct Problem {
  MatrixD gram;
  std::vector<double> right;
};

Problem normal_form(const MatrixD& a, std::span<const double> b) {
  Problem out{MatrixD(a.cols(), a.cols()), std::vector<double>(a.cols())};
  for (std::size_t i = 0; i < a.rows(); ++i)
    for (std::size_t j = 0; j < a.cols(); ++j) {
      out.right[j] += a(i, j) * b[i];
      for (std::size_t k = 0; k < a.cols(); ++k) out.gram(j, k) += a(i, j) * a(i, k);
    }
  return out;
}

// w >= 0, the gradient G w - r >= 0, and one of them zero everywhere.
void expect_optimal(const Problem& problem, std::span<const double> w, double tolerance) {
  for (std::size_t j = 0; j < w.size(); ++j) {
    double slope = -problem.right[j];
    for (std::size_t k = 0; k < w.size(); ++k) slope += problem.gram(j, k) * w[k];
    EXPECT_GE(w[j], 0) << j;
    EXPECT_GE(slope, -tolerance) << j;
    EXPECT_LE(std::abs(slope * w[j]), tolerance) << j;
  }
}

TEST(NonnegativeLeastSquares, meets_the_optimality_conditions_on_random_problems) {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    Random random(seed, Purpose::Test);
    const std::size_t rows = 1 + random.below(20), cols = 1 + random.below(12);
    MatrixD a(rows, cols);
    std::vector<double> b(rows);
    for (std::size_t i = 0; i < rows; ++i) {
      for (double& value : a.row(i)) value = random.uniform(-1, 1);
      b[i] = random.uniform(-1, 1);
    }
    SCOPED_TRACE(seed);
    const Problem problem = normal_form(a, b);
    expect_optimal(problem, nonnegative_least_squares(problem.gram, problem.right), 1e-8);
  }
}

TEST(NonnegativeLeastSquares, finds_the_weights_that_made_the_target) {
  MatrixD a(6, 3);
  Random random(1, Purpose::Test);
  std::vector<double> b(6);
  const double weights[] = {0.5, 0, 2};
  for (std::size_t i = 0; i < 6; ++i)
    for (std::size_t j = 0; j < 3; ++j) {
      a(i, j) = random.uniform(-1, 1);
      b[i] += a(i, j) * weights[j];
    }
  const Problem problem = normal_form(a, b);
  const std::vector<double> w = nonnegative_least_squares(problem.gram, problem.right);
  for (std::size_t j = 0; j < 3; ++j) EXPECT_NEAR(w[j], weights[j], 1e-10);
}

TEST(NonnegativeLeastSquares, survives_equal_and_zero_columns) {
  MatrixD a(2, 4);  // columns 0 and 1 are equal, 2 is zero
  a(0, 0) = a(0, 1) = 1;
  a(1, 3) = 1;
  const Problem problem = normal_form(a, std::vector<double>{3, 1});
  const std::vector<double> w = nonnegative_least_squares(problem.gram, problem.right);
  expect_optimal(problem, w, 1e-10);
  EXPECT_NEAR(w[0] + w[1], 3, 1e-10);
  EXPECT_EQ(w[2], 0);
  EXPECT_NEAR(w[3], 1, 1e-10);
}

TEST(NonnegativeLeastSquares, is_zero_when_everything_points_away) {
  MatrixD a(1, 2);
  a(0, 0) = a(0, 1) = -1;
  const Problem problem = normal_form(a, std::vector<double>{1});
  EXPECT_EQ(nonnegative_least_squares(problem.gram, problem.right), (std::vector<double>{0, 0}));
  EXPECT_TRUE(nonnegative_least_squares(MatrixD(0, 0), {}).empty());
}

}  // namespace
}  // namespace sieve
