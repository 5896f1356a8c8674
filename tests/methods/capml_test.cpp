#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "base/random.h"
#include "labelsieve/prepare.h"
#include "linalg/dense.h"
#include "methods/capml/steps.h"

namespace sieve {
namespace {

MatrixD random_matrix(std::size_t rows, std::size_t cols, std::uint64_t seed) {
  MatrixD out(rows, cols);
  Random random(seed, Purpose::Test);
  for (std::size_t i = 0; i < rows; ++i)
    for (double& value : out.row(i)) value = random.uniform(-1, 1);
  return out;
}

double cost_of(const MatrixD& costs, const std::vector<std::size_t>& columns) {
  double sum = 0;
  for (std::size_t i = 0; i < columns.size(); ++i) sum += costs(i, columns[i]);
  return sum;
}

TEST(Assignment, is_as_cheap_as_the_best_of_all_permutations) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const std::size_t n = 1 + seed % 6;
    MatrixD costs = random_matrix(n, n, seed);
    if (seed % 3 == 0)  // with many ties
      for (std::size_t i = 0; i < n; ++i)
        for (double& value : costs.row(i)) value = std::round(2 * value);
    std::vector<std::size_t> columns(n);
    std::iota(columns.begin(), columns.end(), std::size_t{0});
    double best = cost_of(costs, columns);
    while (std::ranges::next_permutation(columns).found)
      best = std::min(best, cost_of(costs, columns));
    const std::vector<std::size_t> found = cheapest_assignment(costs);
    EXPECT_TRUE(std::ranges::is_permutation(found, columns)) << seed;
    EXPECT_NEAR(cost_of(costs, found), best, 1e-12) << seed;
  }
}

double misfit(const MatrixD& a, const MatrixD& rotation, const MatrixD& b, ThreadPool& pool) {
  MatrixD difference = times(a, rotation, pool);
  add(difference, -1, b);
  return squared_norm(difference);
}

TEST(Rotation, is_orthogonal_and_better_than_any_turn_of_it) {
  ThreadPool pool(1);
  for (const std::size_t rows : {2U, 9U}) {  // fewer rows than columns: a singular product
    const MatrixD a = random_matrix(rows, 4, 1), b = random_matrix(rows, 4, 2);
    const MatrixD best = best_rotation(a, b, pool);
    const MatrixD square = transposed_times(best, best, pool);
    for (std::size_t i = 0; i < 4; ++i)
      for (std::size_t j = 0; j < 4; ++j) EXPECT_NEAR(square(i, j), i == j ? 1 : 0, 1e-12);
    const double least = misfit(a, best, b, pool);
    for (std::size_t p = 0; p < 4; ++p)
      for (std::size_t q = 0; q < p; ++q)
        for (const double angle : {-0.5, -0.01, 0.01, 0.5, 3.0}) {
          MatrixD turned = best.clone();
          for (std::size_t i = 0; i < 4; ++i) {
            turned(i, p) = std::cos(angle) * best(i, p) - std::sin(angle) * best(i, q);
            turned(i, q) = std::sin(angle) * best(i, p) + std::cos(angle) * best(i, q);
          }
          EXPECT_GE(misfit(a, turned, b, pool), least - 1e-12);
        }
  }
}

TEST(Rotation, finds_a_rotation_that_was_applied) {
  ThreadPool pool(1);
  const MatrixD a = random_matrix(9, 4, 1);
  const MatrixD applied = best_rotation(random_matrix(9, 4, 5), random_matrix(9, 4, 6), pool);
  EXPECT_LT(
      misfit(a, best_rotation(a, times(a, applied, pool), pool), times(a, applied, pool), pool),
      1e-20);
}

TEST(CorrectedLabel, is_the_best_of_a_fine_grid) {
  Random random(3, Purpose::Test);
  for (int trial = 0; trial < 200; ++trial) {
    const double y = random.chance(0.5) ? 1 : 0, score = random.uniform(-1, 2),
                 c = random.uniform(), a = random.uniform(0, 2.5);
    const auto cost = [&](double r) {
      return c * c * (r - y) * (r - y) + (score - r) * (score - r) + a * std::abs(y - r);
    };
    double best = 0;
    for (double r = 0; r < 3; r += 1e-3)
      if (cost(r) < cost(best)) best = r;
    const double found = corrected_label(y, score, c, a);
    EXPECT_GE(found, 0);
    EXPECT_NEAR(found, best, 2e-3);
    EXPECT_LE(cost(found), cost(best) + 1e-12);
  }
}

TEST(Correction, the_objective_never_rises) {
  FitRun run(FitOptions{});
  const MatrixD inputs = random_matrix(60, 12, 1);
  MatrixD candidates = random_matrix(60, 4, 2), believed = random_matrix(60, 4, 3);
  for (std::size_t i = 0; i < 60; ++i)
    for (std::size_t k = 0; k < 4; ++k) {
      candidates(i, k) = candidates(i, k) > 0 ? 1 : 0;
      believed(i, k) = candidates(i, k) > 0 ? std::abs(believed(i, k)) : 1;
    }
  for (const double b : {0.01, 1.0, 30.0}) {
    const CorrectedLabels found = correct_labels({inputs, candidates, believed, 0.1, b}, 50, run);
    ASSERT_GT(found.objective.size(), 1U);
    for (std::size_t t = 1; t < found.objective.size(); ++t)
      EXPECT_LE(found.objective[t], found.objective[t - 1] + 1e-5) << b << " " << t;
  }
}

TEST(Reliability, is_full_outside_the_candidates_and_follows_the_clusters_within) {
  ThreadPool pool(1);
  const Dataset data = make_synthetic(
      {.rows = 120, .features = 8, .labels = 4, .cardinality = 1.5, .noise = 1}, pool);
  FitRun run(FitOptions{});
  const Design x{data.features, false};
  const MatrixD membership = fuzzy_clusters(x, data.candidates, {}, run);
  for (std::size_t i = 0; i < data.rows(); ++i) {
    const auto row = membership.row(i);
    EXPECT_NEAR(std::accumulate(row.begin(), row.end(), 0.0), 1, 1e-12);
  }
  std::vector<std::size_t> cluster = clusters_of_labels(x, data.candidates, membership, {}, run);
  const MatrixD believed = reliability(data.candidates, membership, cluster);
  for (std::size_t i = 0; i < data.rows(); ++i)
    for (std::size_t k = 0; k < data.labels(); ++k) {
      EXPECT_GE(believed(i, k), 0.01);
      EXPECT_LE(believed(i, k), 1);
      if (!data.candidates.get(i, k)) {
        EXPECT_EQ(believed(i, k), 1);
      }
    }
  std::ranges::sort(cluster);
  EXPECT_EQ(cluster, (std::vector<std::size_t>{0, 1, 2, 3}));
}

}  // namespace
}  // namespace sieve
