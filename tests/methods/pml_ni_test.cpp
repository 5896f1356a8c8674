#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "labelsieve/learner.h"
#include "linalg/least_squares.h"
#include "methods/pml_ni/pml_ni.h"
#include "support/random_matrices.h"
#include "support/support.h"

namespace sieve::test {
namespace {

// A small problem and its objective, both from the definition.
struct Problem {
  Features x = random_features(60, 12, 1);
  MatrixD y = numbers_of(random_labels(60, 5, 2));
  PmlNiSettings settings{.lambda = 2, .beta = 3, .gamma = 1.5, .iterations = 3000};
  Design phi{x, true};
  ThreadPool pool{1};

  MatrixD residual(const MatrixD& u, const MatrixD& v) {
    MatrixD sum = u.clone();
    add(sum, 1, v);
    MatrixD out = times(phi, sum, pool);
    add(out, -1, y);
    return out;
  }
  double objective(const MatrixD& u, const MatrixD& v) {
    MatrixD sum = u.clone();
    add(sum, 1, v);
    double nuclear = 0, absolute = 0;
    for (const double square : symmetric_eigen(transposed_times(u, u, pool)).values)
      nuclear += std::sqrt(std::max(square, 0.0));
    for (std::size_t j = 0; j < v.rows(); ++j)
      for (const double value : v.row(j)) absolute += std::abs(value);
    return squared_norm(residual(u, v)) / 2 + settings.lambda / 2 * squared_norm(sum) +
           settings.beta * nuclear + settings.gamma * absolute;
  }
  PmlNiSolution solve(Resolvent::Form form = Resolvent::Form::Smaller,
                      const PmlNiWatch& watch = {}) {
    const FitOptions silent;
    FitRun run(silent);
    const Resolvent resolvent(phi, 1000, pool, form);
    return solve_pml_ni(resolvent, transposed_times(phi, y, pool), settings, run, watch);
  }
};

// A second way to the optimum: accelerated proximal gradient steps on U and V together.
double proximal_optimum(Problem& problem) {
  const double steepest = symmetric_eigen(gram(problem.phi, problem.pool)).values.back();
  const double step = 0.5 / (steepest + problem.settings.lambda);
  MatrixD u(problem.phi.cols(), problem.y.cols()), v = u.clone(), ahead_u = u.clone(),
                                                   ahead_v = u.clone();
  double momentum = 1, best = problem.objective(u, v);
  for (int t = 0; t < 4000; ++t) {
    MatrixD gradient =
        transposed_times(problem.phi, problem.residual(ahead_u, ahead_v), problem.pool);
    add(gradient, problem.settings.lambda, ahead_u);
    add(gradient, problem.settings.lambda, ahead_v);
    add(ahead_u, -step, gradient);
    add(ahead_v, -step, gradient);
    const MatrixD old_u = std::move(u), old_v = std::move(v);
    u = map_singular_values(
        ahead_u, [&](double s) { return std::max(s - step * problem.settings.beta, 0.0); },
        problem.pool);
    v = ahead_v.clone();
    for (std::size_t j = 0; j < v.rows(); ++j)
      for (double& value : v.row(j))
        value -= std::clamp(value, -step * problem.settings.gamma, step * problem.settings.gamma);
    const double next = (1 + std::sqrt(1 + 4 * momentum * momentum)) / 2;
    const double push = (momentum - 1) / next;
    momentum = next;
    ahead_u = u.clone();
    add(ahead_u, push, u);
    add(ahead_u, -push, old_u);
    ahead_v = v.clone();
    add(ahead_v, push, v);
    add(ahead_v, -push, old_v);
    best = std::min(best, problem.objective(u, v));
  }
  return best;
}

TEST(PmlNi, reaches_the_optimum_that_another_solver_finds) {
  Problem problem;
  const PmlNiSolution solution = problem.solve();
  EXPECT_TRUE(solution.converged);
  const double ours = problem.objective(solution.u, solution.v), other = proximal_optimum(problem);
  EXPECT_NEAR(ours, other, 1e-6 * other);
  EXPECT_LT(ours, 0.9 * problem.objective(MatrixD(13, 5), MatrixD(13, 5)));
}

// A single entry has a nuclear norm as large as its 1-norm: U takes over all that V could hold.
TEST(PmlNi, has_no_noise_part_where_that_costs_no_less_than_the_label_part) {
  Problem problem;
  problem.settings.gamma = problem.settings.beta;
  const PmlNiSolution solution = problem.solve();
  EXPECT_EQ(squared_norm(solution.v), 0);
  const double ours = problem.objective(solution.u, solution.v), other = proximal_optimum(problem);
  EXPECT_NEAR(ours, other, 1e-6 * other);
}

// U and V are feasible themselves, with W = U + V, so their objective is one of the problem.
TEST(PmlNi, the_objective_falls_over_the_last_iterations) {
  Problem problem;
  std::vector<double> seen;
  problem.solve(Resolvent::Form::Smaller, [&](const MatrixD& u, const MatrixD& v) {
    seen.push_back(problem.objective(u, v));
  });
  ASSERT_GT(seen.size(), 100U);
  const double last = seen.back();
  // Block means over the second half: single steps may rise a little while the penalty grows.
  constexpr std::size_t kBlocks = 5;
  const std::size_t first = seen.size() / 2, length = (seen.size() - first) / kBlocks;
  std::vector<double> means;
  for (std::size_t b = 0; b < kBlocks; ++b) {
    double sum = 0;
    for (std::size_t t = 0; t < length; ++t) sum += seen[first + b * length + t];
    means.push_back(sum / static_cast<double>(length));
  }
  for (std::size_t b = 1; b < kBlocks; ++b) EXPECT_LE(means[b], means[b - 1] + 1e-9 * last) << b;
  EXPECT_LE(last, *std::ranges::min_element(seen) * (1 + 1e-6));
}

TEST(PmlNi, both_forms_find_the_same_maps) {
  Problem problem;
  const PmlNiSolution columns = problem.solve(Resolvent::Form::Columns),
                      rows = problem.solve(Resolvent::Form::Rows);
  for (std::size_t j = 0; j < columns.u.rows(); ++j)
    for (std::size_t k = 0; k < columns.u.cols(); ++k) {
      EXPECT_NEAR(columns.u(j, k), rows.u(j, k), 1e-7);
      EXPECT_NEAR(columns.v(j, k), rows.v(j, k), 1e-7);
    }
}

// One set, stored densely and sparsely, and with more features than rows.
TEST(LinearMethods, learn_the_same_from_dense_and_sparse_features) {
  for (const std::size_t features : {20U, 150U}) {
    TrainingData dense{
        random_features(80, features, 3, 0.2), random_labels(80, 4, 4), {}, {"a", "b", "c", "d"}};
    const TrainingData sparse{
        dense.features.to_sparse(), dense.candidates.clone(), {}, dense.label_names};
    ThreadPool pool(1);
    for (const char* name : {"pml-ni", "schirn", "nlr"}) {
      const MethodInfo& method = method_info(name);
      Options options(method.options);
      options.set("scaling", "raw");
      const auto a = method.make(options)->fit(dense, {}),
                 b = method.make(options)->fit(sparse, {});
      const Matrix left = a->scores(dense.features, pool), right = b->scores(dense.features, pool),
                   other = b->scores(sparse.features, pool);
      for (std::size_t i = 0; i < left.rows(); ++i)
        for (std::size_t k = 0; k < left.cols(); ++k) {
          ASSERT_NEAR(left(i, k), right(i, k), 1e-4) << name;
          ASSERT_NEAR(other(i, k), right(i, k), 1e-5) << name;
        }
    }
  }
}

TEST(LinearMethods, say_what_memory_a_large_matrix_would_take) {
  const TrainingData data{random_features(30, 40, 3), random_labels(30, 2, 4), {}, {"a", "b"}};
  for (const char* name : {"pml-ni", "schirn", "nlr"}) {
    const MethodInfo& method = method_info(name);
    Options options(method.options);
    options.set("largest-matrix", "29");
    int code = 0;
    EXPECT_THAT(refusal([&] { method.make(options)->fit(data, {}); }, &code),
                ::testing::AllOf(::testing::HasSubstr("30 x 30"), ::testing::HasSubstr("GB")));
    EXPECT_EQ(code, 2);
  }
}

}  // namespace
}  // namespace sieve::test
