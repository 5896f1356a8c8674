#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "labelsieve/prepare.h"
#include "support/support.h"

namespace sieve {
namespace {

using test::refusal;
using Rows = std::vector<std::size_t>;

Rows merged(Rows a, const Rows& b) {
  a.insert(a.end(), b.begin(), b.end());
  std::ranges::sort(a);
  return a;
}

Rows all_rows(std::size_t count) {
  Rows rows(count);
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  return rows;
}

TEST(Split, random_halves_are_a_partition_of_the_asked_size) {
  const Split split = split_random(1003, 0.2, 5);
  EXPECT_EQ(split.test.size(), 201U);
  EXPECT_TRUE(std::ranges::is_sorted(split.train));
  EXPECT_TRUE(std::ranges::is_sorted(split.test));
  EXPECT_EQ(merged(split.train, split.test), all_rows(1003));
}

TEST(Split, either_side_gets_a_row) {
  EXPECT_EQ(split_random(3, 0.01, 1).test.size(), 1U);
  EXPECT_EQ(split_random(3, 0.99, 1).train.size(), 1U);
}

TEST(Split, every_row_is_as_likely_a_test_row) {
  std::vector<int> times(20);
  for (std::uint64_t seed = 0; seed < 2000; ++seed)
    for (const std::size_t row : split_random(20, 0.3, seed).test) ++times[row];
  for (const int count : times) EXPECT_NEAR(count, 600, 100);
}

TEST(Split, random_folds_differ_by_at_most_one_row) {
  const auto folds = folds_random(23, 5, 1);
  Rows all;
  for (const Rows& fold : folds) {
    EXPECT_TRUE(fold.size() == 4 || fold.size() == 5);
    EXPECT_TRUE(std::ranges::is_sorted(fold));
    all = merged(all, fold);
  }
  EXPECT_EQ(all, all_rows(23));
}

TEST(Split, is_a_function_of_the_seed) {
  EXPECT_EQ(split_random(100, 0.5, 3).test, split_random(100, 0.5, 3).test);
  EXPECT_NE(split_random(100, 0.5, 3).test, split_random(100, 0.5, 4).test);
  EXPECT_EQ(folds_random(100, 4, 3), folds_random(100, 4, 3));
  EXPECT_NE(folds_random(100, 4, 3), folds_random(100, 4, 4));
}

TEST(Split, a_fold_is_the_test_and_the_others_the_training) {
  const Split split = split_of_fold({{0, 3}, {1, 5}, {2, 4}}, 1);
  EXPECT_EQ(split.test, (Rows{1, 5}));
  EXPECT_EQ(split.train, (Rows{0, 2, 3, 4}));
}

TEST(Split, refuses_what_can_not_be_split) {
  int code = 0;
  EXPECT_NE(refusal([] { split_random(1, 0.5, 1); }, &code), "");
  EXPECT_EQ(code, 2);
  for (const double bad : {0.0, 1.0, 1.5, -0.1, std::nan("")})
    EXPECT_NE(refusal([&] { split_random(10, bad, 1); }).find("test share"), std::string::npos);
  EXPECT_NE(refusal([] { folds_random(3, 4, 1); }).find("3 rows cannot make 4 folds"),
            std::string::npos);
  EXPECT_NE(refusal([] { folds_random(3, 1, 1); }), "");
  EXPECT_NE(refusal([] { split_of_fold({{0}, {1}}, 2); }), "");
}

}  // namespace
}  // namespace sieve
