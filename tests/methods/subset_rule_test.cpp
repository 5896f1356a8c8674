#include "methods/pml_lc_fp/subset_rule.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/random.h"

namespace sieve {
namespace {

// Costs of candidates may be negative; with `low` = 0 they are not, as in PML-FP.
SubsetCost random_cost(Random& random, std::size_t size, double low) {
  SubsetCost cost;
  cost.resize(size);
  for (std::size_t k = 0; k < size; ++k) {
    cost.cost[k] = random.uniform(low, 1);
    for (std::size_t l = 0; l < size; ++l)
      if (l != k && random.chance(0.7)) cost.pair(k, l) = random.uniform() * 0.5;
  }
  return cost;
}

// f(A), straight from its definition.
double set_cost(const SubsetCost& cost, std::size_t set) {
  double sum = 0;
  for (std::size_t k = 0; k < cost.size; ++k) {
    if ((set >> k & 1U) == 0) continue;
    sum += cost.cost[k];
    for (std::size_t l = 0; l < cost.size; ++l)
      if ((set >> l & 1U) == 0) sum += cost.pair(k, l);
  }
  return sum;
}

// The least of f(A) and f(A) / |A| over all sets that are not empty.
double least_cost(const SubsetCost& cost) {
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t set = 1; set < std::size_t{1} << cost.size; ++set) {
    const double value = set_cost(cost, set);
    least = std::min({least, value, value / std::popcount(set)});
  }
  return least;
}

void expect_allowed(const std::vector<double>& confidence) {
  for (const double p : confidence) {
    EXPECT_GE(p, 0);
    EXPECT_LE(p, 1);
  }
  EXPECT_GE(std::accumulate(confidence.begin(), confidence.end(), 0.0), 1 - 1e-12);
}

TEST(SubsetRule, finds_the_least_cost_of_a_thousand_random_problems) {
  Random random(7, Purpose::Test);
  SubsetRule rule;
  std::size_t negative = 0;
  for (std::size_t problem = 0; problem < 1000; ++problem) {
    const std::size_t size = 1 + random.below(8);
    const SubsetCost cost = random_cost(random, size, problem % 2 == 0 ? -1 : 0);
    const double least = least_cost(cost);
    negative += least < 0 ? 1 : 0;
    std::vector<double> confidence(size);
    rule.solve(cost, confidence);
    expect_allowed(confidence);
    ASSERT_NEAR(cost.of(confidence), least, 1e-12) << problem;
  }
  EXPECT_GT(negative, 200U);  // both cases of the rule were met
  EXPECT_LT(negative, 600U);
}

// With multiples of 1/6 the grid holds all corners that a linear programme over three candidates
// can end in, so its least is the least of all.
TEST(SubsetRule, no_other_confidences_cost_less) {
  Random random(8, Purpose::Test);
  SubsetRule rule;
  for (std::size_t problem = 0; problem < 200; ++problem) {
    const SubsetCost cost = random_cost(random, 3, problem % 2 == 0 ? -0.5 : 0);
    double least = std::numeric_limits<double>::infinity();
    for (int a = 0; a <= 6; ++a)
      for (int b = 0; b <= 6; ++b)
        for (int c = std::max(0, 6 - a - b); c <= 6; ++c)
          least = std::min(least, cost.of(std::vector{a / 6.0, b / 6.0, c / 6.0}));
    std::vector<double> confidence(3);
    rule.solve(cost, confidence);
    ASSERT_NEAR(cost.of(confidence), least, 1e-12) << problem;
  }
}

TEST(SubsetRule, minimum_cuts_give_what_enumeration_gives) {
  Random random(9, Purpose::Test);
  SubsetRule rule;
  for (std::size_t problem = 0; problem < 500; ++problem) {
    const std::size_t size = 1 + random.below(10);
    const SubsetCost cost = random_cost(random, size, problem % 2 == 0 ? -1 : 0);
    std::vector<double> enumerated(size), cut(size);
    rule.solve_by_enumeration(cost, enumerated);
    rule.solve_by_cuts(cost, cut);
    ASSERT_EQ(enumerated, cut) << problem;
  }
}

TEST(SubsetRule, takes_the_largest_of_equally_good_sets) {
  SubsetRule rule;
  for (const double alone : {0.0, 1.0, -1.0}) {
    SubsetCost cost;
    cost.resize(5);
    std::ranges::fill(cost.cost, alone);
    const double each = alone < 0 ? 1 : 0.2;
    std::vector<double> confidence(5);
    rule.solve_by_enumeration(cost, confidence);
    EXPECT_EQ(confidence, std::vector<double>(5, each)) << alone;
    rule.solve_by_cuts(cost, confidence);
    EXPECT_EQ(confidence, std::vector<double>(5, each)) << alone;
  }
}

TEST(SubsetRule, many_candidates_are_solved_by_cuts_no_worse_than_any_set_tried) {
  Random random(10, Purpose::Test);
  SubsetRule rule;
  for (const std::size_t size : {15U, 40U}) {
    const SubsetCost cost = random_cost(random, size, 0);
    std::vector<double> confidence(size);
    rule.solve(cost, confidence);
    expect_allowed(confidence);
    const double least = cost.of(confidence);
    for (std::size_t tries = 0; tries < 2000; ++tries) {
      const std::size_t set = 1 + random.below((std::size_t{1} << size) - 1);
      EXPECT_GE(set_cost(cost, set) / std::popcount(set), least - 1e-12);
    }
  }
}

}  // namespace
}  // namespace sieve
