#include "base/random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

namespace sieve {
namespace {

// Known answers of Philox4x64-10, published with Random123.
TEST(Random, philox_gives_its_published_answers) {
  const std::array<std::uint64_t, 4> zero = {0x16554d9eca36314cU, 0xdb20fe9d672d0fdcU,
                                             0xd7e772cee186176bU, 0x7e68b68aec7ba23bU};
  EXPECT_EQ(philox4x64({0, 0, 0, 0}, {0, 0}), zero);
  constexpr std::uint64_t all = ~std::uint64_t{0};
  const std::array<std::uint64_t, 4> ones = {0x87b092c3013fe90bU, 0x438c3c67be8d0224U,
                                             0x9cc7d7c69cd777b6U, 0xa09caebf594f0ba0U};
  EXPECT_EQ(philox4x64({all, all, all, all}, {all, all}), ones);
}

TEST(Random, streams_depend_on_each_part_of_their_key) {
  std::set<std::uint64_t> firsts;
  for (const std::uint64_t seed : {0U, 1U})
    for (const Purpose purpose : {Purpose::Split, Purpose::Noise})
      for (const std::uint64_t step : {0U, 1U})
        for (const std::uint64_t row : {0U, 1U})
          firsts.insert(Random(seed, purpose, step, row).bits());
  EXPECT_EQ(firsts.size(), 16U);
  EXPECT_EQ(Random(7, Purpose::Noise, 3, 9).bits(), Random(7, Purpose::Noise, 3, 9).bits());
}

TEST(Random, uniform_and_normal_have_their_moments) {
  Random random(1, Purpose::Test);
  constexpr int n = 200000;
  double sum = 0, square = 0, normal_sum = 0, normal_square = 0;
  for (int i = 0; i < n; ++i) {
    const double u = random.uniform(), g = random.normal();
    ASSERT_GE(u, 0.0);
    ASSERT_LT(u, 1.0);
    sum += u, square += u * u, normal_sum += g, normal_square += g * g;
  }
  EXPECT_NEAR(sum / n, 0.5, 0.003);
  EXPECT_NEAR(square / n, 1.0 / 3, 0.003);
  EXPECT_NEAR(normal_sum / n, 0, 0.01);
  EXPECT_NEAR(normal_square / n, 1, 0.015);
}

TEST(Random, below_is_fair_and_in_range) {
  Random random(2, Purpose::Test);
  std::vector<int> counts(7);
  for (int i = 0; i < 70000; ++i) ++counts[random.below(7)];
  for (const int count : counts) EXPECT_NEAR(count, 10000, 500);
  EXPECT_EQ(random.below(1), 0U);
}

TEST(Random, shuffle_keeps_the_items) {
  std::vector<int> items = {1, 2, 3, 4, 5, 6, 7, 8};
  const std::vector<int> before = items;
  Random(3, Purpose::Test).shuffle(std::span<int>(items));
  EXPECT_NE(items, before);
  std::ranges::sort(items);
  EXPECT_EQ(items, before);
}

}  // namespace
}  // namespace sieve
