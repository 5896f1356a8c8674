#include "linalg/dense.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "linalg/design.h"
#include "linalg/least_squares.h"
#include "support/random_matrices.h"
#include "support/support.h"

namespace sieve::test {
namespace {

using ::testing::HasSubstr;

MatrixD naive_times(const MatrixD& a, const MatrixD& b) {
  MatrixD out(a.rows(), b.cols());
  for (std::size_t i = 0; i < a.rows(); ++i)
    for (std::size_t j = 0; j < b.cols(); ++j)
      for (std::size_t k = 0; k < a.cols(); ++k) out(i, j) += a(i, k) * b(k, j);
  return out;
}

void expect_near(const MatrixD& a, const MatrixD& b, double tolerance) {
  ASSERT_EQ(a.rows(), b.rows());
  ASSERT_EQ(a.cols(), b.cols());
  for (std::size_t i = 0; i < a.rows(); ++i)
    for (std::size_t j = 0; j < a.cols(); ++j)
      ASSERT_NEAR(a(i, j), b(i, j), tolerance) << i << " " << j;
}

void expect_same_bits(const MatrixD& a, const MatrixD& b) {
  for (std::size_t i = 0; i < a.rows(); ++i)
    ASSERT_TRUE(std::ranges::equal(a.row(i), b.row(i))) << i;
}

MatrixD widened(const Features& x, bool bias) {
  MatrixD out(x.rows(), x.cols() + (bias ? 1 : 0));
  for (std::size_t i = 0; i < x.rows(); ++i) {
    std::ranges::copy(x.dense().row(i), out.row(i).begin());
    if (bias) out(i, x.cols()) = 1;
  }
  return out;
}

TEST(Dense, products_are_those_of_three_loops) {
  ThreadPool pool(2);
  for (const auto& [m, k, n] : {std::tuple{1U, 1U, 1U}, {3U, 17U, 5U}, {300U, 40U, 131U}}) {
    const MatrixD a = random_matrix(m, k, 1), b = random_matrix(k, n, 2);
    const MatrixD product = naive_times(a, b);
    expect_near(times(a, b, pool), product, 1e-12);
    expect_near(transposed_times(transposed(a), b, pool), product, 1e-12);
    expect_near(times_transposed(a, transposed(b), pool), product, 1e-12);
  }
}

TEST(Dense, products_with_empty_sides_are_zero_or_empty) {
  ThreadPool pool(1);
  EXPECT_EQ(times(MatrixD(0, 3), MatrixD(3, 2), pool).rows(), 0U);
  expect_near(times(MatrixD(2, 0), MatrixD(0, 2), pool), MatrixD(2, 2), 0);
}

TEST(Dense, solves_positive_systems_and_names_others) {
  ThreadPool pool(1);
  const MatrixD x = random_matrix(30, 9, 3), wanted = random_matrix(9, 4, 4);
  const MatrixD a = transposed_times(x, x, pool);
  expect_near(solve_positive(a, times(a, wanted, pool)), wanted, 1e-9);
  MatrixD indefinite(2, 2);
  indefinite(0, 1) = indefinite(1, 0) = 1;
  int code = 0;
  EXPECT_THAT(refusal([&] { solve_positive(indefinite, MatrixD(2, 1)); }, &code),
              HasSubstr("not positive definite"));
  EXPECT_EQ(code, 6);
}

TEST(Dense, eigenvectors_rebuild_the_matrix_and_are_orthonormal) {
  ThreadPool pool(1);
  const MatrixD half = random_matrix(21, 21, 5);
  MatrixD a = half.clone();
  add(a, 1, transposed(half));
  const SymmetricEigen eigen = symmetric_eigen(a.clone());
  EXPECT_TRUE(std::ranges::is_sorted(eigen.values));
  MatrixD scaled = eigen.vectors.clone();
  for (std::size_t r = 0; r < scaled.rows(); ++r)
    for (double& value : scaled.row(r)) value *= eigen.values[r];
  expect_near(transposed_times(eigen.vectors, scaled, pool), a, 1e-12);
  MatrixD identity(21, 21);
  for (std::size_t j = 0; j < 21; ++j) identity(j, j) = 1;
  expect_near(times_transposed(eigen.vectors, eigen.vectors, pool), identity, 1e-12);
}

TEST(Dense, eigenvalues_of_what_is_no_number_are_refused) {
  MatrixD a(2, 2);
  a(0, 1) = a(0, 0) = std::numeric_limits<double>::quiet_NaN();
  int code = 0;
  refusal([&] { symmetric_eigen(std::move(a)); }, &code);
  EXPECT_EQ(code, 6);
}

TEST(Dense, least_squares_has_the_smallest_norm_among_the_best) {
  ThreadPool pool(1);
  // The third column repeats the first: their weight is shared.
  MatrixD a = random_matrix(20, 3, 6);
  for (std::size_t i = 0; i < a.rows(); ++i) a(i, 2) = a(i, 0);
  const MatrixD b = random_matrix(20, 2, 7), x = least_squares(a, b);
  MatrixD residual = times(a, x, pool);
  add(residual, -1, b);
  expect_near(transposed_times(a, residual, pool), MatrixD(3, 2), 1e-12);
  for (std::size_t k = 0; k < 2; ++k) EXPECT_NEAR(x(0, k), x(2, k), 1e-12);
  // More unknowns than equations.
  const MatrixD wide = random_matrix(3, 8, 8), c = random_matrix(3, 2, 9);
  expect_near(times(wide, least_squares(wide, c), pool), c, 1e-12);
}

class Designs : public ::testing::TestWithParam<bool> {};

TEST_P(Designs, products_are_those_of_the_written_out_matrix_dense_or_sparse) {
  ThreadPool pool(3);
  const bool bias = GetParam();
  const Features dense = random_features(2100, 70, 1, 0.2), sparse = dense.to_sparse();
  const MatrixD phi = widened(dense, bias), w = random_matrix(phi.cols(), 5, 2),
                y = random_matrix(phi.rows(), 5, 3);
  for (const Features* x : {&dense, &sparse}) {
    const Design design{*x, bias};
    expect_near(times(design, w, pool), times(phi, w, pool), 1e-10);
    expect_near(transposed_times(design, y, pool), transposed_times(phi, y, pool), 1e-10);
    expect_near(gram(design, pool), transposed_times(phi, phi, pool), 1e-10);
  }
  const Features wide = random_features(90, 1500, 4, 0.1), wide_sparse = wide.to_sparse();
  const MatrixD wide_phi = widened(wide, bias);
  for (const Features* x : {&wide, &wide_sparse})
    expect_near(kernel(Design{*x, bias}, pool), times_transposed(wide_phi, wide_phi, pool), 1e-10);
}

TEST_P(Designs, products_are_the_same_bits_for_any_number_of_threads) {
  ThreadPool one(1), three(3);
  const Features dense = random_features(500, 150, 5, 0.3), sparse = dense.to_sparse();
  for (const Features* x : {&dense, &sparse}) {
    const Design phi{*x, GetParam()};
    const MatrixD w = random_matrix(phi.cols(), 7, 6), y = random_matrix(phi.rows(), 7, 7);
    expect_same_bits(times(phi, w, three), times(phi, w, one));
    expect_same_bits(transposed_times(phi, y, three), transposed_times(phi, y, one));
    expect_same_bits(gram(phi, three), gram(phi, one));
    expect_same_bits(kernel(phi, three), kernel(phi, one));
  }
}

TEST_P(Designs, both_forms_of_the_resolvent_solve_the_system) {
  ThreadPool pool(1);
  for (const auto& [rows, cols] : {std::pair{40U, 12U}, {12U, 40U}}) {
    const Features x = random_features(rows, cols, 8);
    const Design phi{x, GetParam()};
    const MatrixD b = random_matrix(phi.cols(), 3, 9), k = gram(phi, pool);
    for (const auto form :
         {Resolvent::Form::Smaller, Resolvent::Form::Columns, Resolvent::Form::Rows}) {
      const Resolvent resolvent(phi, 100, pool, form);
      for (const double c : {0.1, 10.0, 1e10}) {
        const MatrixD solution = resolvent.apply(b, c);
        MatrixD back = times(k, solution, pool);
        add(back, c, solution);
        expect_near(back, b, 1e-9);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Bias, Designs, ::testing::Bool());

TEST(Resolvents, a_matrix_that_is_too_large_is_refused_with_its_size) {
  ThreadPool pool(1);
  const Features x = random_features(30, 20, 1);
  int code = 0;
  EXPECT_THAT(refusal(
                  [&] {
                    Resolvent(Design{x, true}, 20, pool);
                  },
                  &code),
              ::testing::AllOf(HasSubstr("21 x 21"), HasSubstr("largest-matrix=21")));
  EXPECT_EQ(code, 2);
}

TEST(SingularValues, are_mapped_whichever_side_is_longer) {
  ThreadPool pool(1);
  // A = P diag(3, 2, 1) Q' with orthonormal P and Q.
  const SymmetricEigen p = symmetric_eigen(gram(Design{random_features(9, 9, 1)}, pool));
  const SymmetricEigen q = symmetric_eigen(gram(Design{random_features(4, 4, 2)}, pool));
  const auto with_values = [&](std::vector<double> values) {
    MatrixD out(9, 4);
    for (std::size_t r = 0; r < values.size(); ++r)
      for (std::size_t i = 0; i < 9; ++i)
        for (std::size_t j = 0; j < 4; ++j)
          out(i, j) += values[r] * p.vectors(r, i) * q.vectors(r, j);
    return out;
  };
  const MatrixD a = with_values({3, 2, 1}), shrunk = with_values({1.5, 0.5, 0}),
                raised = with_values({3.5, 2.5, 1.5});  // what is 0 stays 0
  const auto shrink = [](double s) { return std::max(s - 1.5, 0.0); };
  const auto raise = [](double s) { return s + 0.5; };
  expect_near(map_singular_values(a, shrink, pool), shrunk, 1e-12);
  expect_near(map_singular_values(transposed(a), shrink, pool), transposed(shrunk), 1e-12);
  expect_near(map_singular_values(a, raise, pool), raised, 1e-7);
}

}  // namespace
}  // namespace sieve::test
