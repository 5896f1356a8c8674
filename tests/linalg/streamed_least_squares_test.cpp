#include "linalg/least_squares.h"

#include <gtest/gtest.h>

#include "base/random.h"
#include "linalg/dense.h"

namespace sieve {
namespace {

MatrixD random_matrix(std::size_t rows, std::size_t cols, std::uint64_t seed) {
  MatrixD out(rows, cols);
  Random random(seed, Purpose::Test);
  for (std::size_t i = 0; i < rows; ++i)
    for (double& value : out.row(i)) value = random.normal();
  return out;
}

MatrixD solved_in_blocks(const MatrixD& a, const MatrixD& b, std::size_t block) {
  StreamedLeastSquares squares(a.cols(), b.cols());
  for (std::size_t first = 0; first < a.rows(); first += block) {
    const std::size_t count = std::min(block, a.rows() - first);
    MatrixD rows(a.cols() + b.cols(), count);
    for (std::size_t i = 0; i < count; ++i) {
      for (std::size_t j = 0; j < a.cols(); ++j) rows(j, i) = a(first + i, j);
      for (std::size_t k = 0; k < b.cols(); ++k) rows(a.cols() + k, i) = b(first + i, k);
    }
    squares.add(std::move(rows));
  }
  return squares.solve(1e-12);
}

void expect_near(const MatrixD& a, const MatrixD& b) {
  ASSERT_EQ(a.rows(), b.rows());
  for (std::size_t i = 0; i < a.rows(); ++i)
    for (std::size_t j = 0; j < a.cols(); ++j) EXPECT_NEAR(a(i, j), b(i, j), 1e-9) << i << " " << j;
}

TEST(StreamedLeastSquares, equals_least_squares_over_all_rows) {
  const MatrixD a = random_matrix(150, 40, 1), b = random_matrix(150, 3, 2);
  for (const std::size_t block : {1U, 7U, 64U, 150U})
    expect_near(solved_in_blocks(a, b, block), least_squares(a, b));
}

TEST(StreamedLeastSquares, takes_the_least_norm_where_columns_depend_on_each_other) {
  MatrixD a = random_matrix(60, 8, 3);
  for (std::size_t i = 0; i < a.rows(); ++i) a(i, 5) = a(i, 1) + a(i, 2);
  const MatrixD b = random_matrix(60, 2, 4);
  expect_near(solved_in_blocks(a, b, 16), least_squares(a, b));
}

TEST(StreamedLeastSquares, fewer_rows_than_unknowns) {
  const MatrixD a = random_matrix(5, 9, 5), b = random_matrix(5, 2, 6);
  expect_near(solved_in_blocks(a, b, 2), least_squares(a, b));
}

}  // namespace
}  // namespace sieve
