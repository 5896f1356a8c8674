#include "linalg/neighbours.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/random.h"
#include "labelsieve/error.h"
#include "support/support.h"

namespace sieve {
namespace {

Matrix random_matrix(std::size_t rows, std::size_t cols, std::uint64_t seed, double density = 1) {
  Matrix out(rows, cols);
  Random random(seed, Purpose::Test);
  for (std::size_t i = 0; i < rows; ++i)
    for (float& value : out.row(i))
      if (random.chance(density)) value = static_cast<float>(random.uniform(-1, 1));
  return out;
}

Neighbours search(const Features& queries, const Features& points, std::size_t k, Self self,
                  std::size_t threads = 2) {
  ThreadPool pool(threads);
  Progress silent;
  return nearest_neighbours(queries, points, k, self, pool, silent);
}

// Every distance, sorted.
std::vector<std::pair<double, std::uint32_t>> all_distances(const Matrix& queries,
                                                            std::size_t query, const Matrix& points,
                                                            Self self) {
  std::vector<std::pair<double, std::uint32_t>> all;
  for (std::size_t p = 0; p < points.rows(); ++p) {
    if (self == Self::Excluded && p == query) continue;
    double sum = 0;
    for (std::size_t j = 0; j < points.cols(); ++j)
      sum += std::pow(double{queries(query, j)} - double{points(p, j)}, 2);
    all.emplace_back(std::sqrt(sum), static_cast<std::uint32_t>(p));
  }
  std::ranges::sort(all);
  return all;
}

void expect_same(const Neighbours& a, const Neighbours& b) {
  EXPECT_EQ(a.count, b.count);
  EXPECT_EQ(a.index, b.index);
  EXPECT_EQ(a.distance, b.distance);
}

TEST(Neighbours, are_those_of_a_full_sort) {
  const Matrix queries = random_matrix(70, 13, 1), points = random_matrix(1100, 13, 2);
  const Neighbours found = search(queries.clone(), points.clone(), 7, Self::Allowed);
  ASSERT_EQ(found.count, 7U);
  for (std::size_t i = 0; i < queries.rows(); ++i) {
    const auto all = all_distances(queries, i, points, Self::Allowed);
    for (std::size_t n = 0; n < 7; ++n) {
      EXPECT_EQ(found.of(i)[n], all[n].second) << i << " " << n;
      EXPECT_NEAR(found.distances(i)[n], all[n].first, 1e-12);
    }
  }
}

TEST(Neighbours, leave_out_the_row_itself_when_asked) {
  const Matrix points = random_matrix(90, 5, 3);
  const Neighbours others = search(points.clone(), points.clone(), 4, Self::Excluded);
  const Neighbours with_self = search(points.clone(), points.clone(), 5, Self::Allowed);
  for (std::size_t i = 0; i < points.rows(); ++i) {
    EXPECT_EQ(with_self.of(i)[0], i);
    EXPECT_EQ(with_self.distances(i)[0], 0);
    EXPECT_TRUE(std::ranges::equal(others.of(i), with_self.of(i).subspan(1)));
  }
}

TEST(Neighbours, ties_go_to_the_smaller_index) {
  Matrix points(700, 3);
  for (std::size_t i = 0; i < points.rows(); ++i) points(i, 1) = static_cast<float>(i % 2);
  const Neighbours found = search(points.clone(), points.clone(), 3, Self::Excluded);
  for (std::size_t i = 6; i < points.rows(); ++i)
    for (std::size_t n = 0; n < 3; ++n) {
      EXPECT_EQ(found.of(i)[n], i % 2 + 2 * n);
      EXPECT_EQ(found.distances(i)[n], 0);
    }
}

TEST(Neighbours, have_the_same_bits_for_any_number_of_threads_and_storage) {
  const Matrix points = random_matrix(400, 37, 4, 0.2);
  const Neighbours one = search(points.clone(), points.clone(), 10, Self::Excluded, 1);
  for (const std::size_t threads : {2U, 3U})
    expect_same(search(points.clone(), points.clone(), 10, Self::Excluded, threads), one);
  const Features sparse = Features(points.clone()).to_sparse();
  expect_same(search(sparse, sparse, 10, Self::Excluded, 2), one);
}

TEST(Neighbours, are_exact_where_float32_products_are_not) {
  // Far from the origin a float32 product has no digits left for the differences.
  Matrix points(600, 4);
  Random random(9, Purpose::Test);
  for (std::size_t i = 0; i < points.rows(); ++i)
    for (float& value : points.row(i)) value = 5000 + static_cast<float>(random.uniform(-1, 1));
  points(3, 0) = 3e38F;  // and these overflow
  points(4, 0) = -3e38F;
  const Neighbours found = search(points.clone(), points.clone(), 5, Self::Excluded);
  for (std::size_t i = 0; i < points.rows(); ++i) {
    const auto all = all_distances(points, i, points, Self::Excluded);
    for (std::size_t n = 0; n < 5; ++n) EXPECT_EQ(found.of(i)[n], all[n].second) << i << " " << n;
  }
}

TEST(Neighbours, are_all_there_are_when_there_are_few) {
  const Matrix points = random_matrix(3, 2, 5);
  EXPECT_EQ(search(points.clone(), points.clone(), 10, Self::Excluded).count, 2U);
  EXPECT_EQ(search(points.clone(), points.clone(), 10, Self::Allowed).count, 3U);
  EXPECT_EQ(search(Matrix(1, 2), Matrix(1, 2), 10, Self::Excluded).count, 0U);
  EXPECT_EQ(search(points.clone(), Matrix(0, 2), 10, Self::Allowed).count, 0U);
}

TEST(Neighbours, search_stops_on_request) {
  class Stop final : public Progress {
    bool stop_requested() const override { return true; }
  } stop;
  const Matrix points = random_matrix(30, 2, 6);
  ThreadPool pool(1);
  int code = 0;
  test::refusal(
      [&] { nearest_neighbours(points.clone(), points.clone(), 2, Self::Allowed, pool, stop); },
      &code);
  EXPECT_EQ(code, 7);
}

}  // namespace
}  // namespace sieve
