#include <gtest/gtest.h>

#include <numeric>

#include "base/random.h"
#include "review_set.h"

namespace sieve::test {
namespace {

// Decisions of a reviewer who is right 95 % of the time, until only half of the labels are wrong
// that were at first. Labels that nobody decided are on if they are more likely right than not.
std::size_t decisions_to_half(const ReviewMaterial& material, bool ours) {
  const ReviewCells& cells = material.cells;
  const std::vector<float> rank(cells.size(), 0);
  const auto truth = [&](std::size_t i) {
    return material.data.truth->get(cells[i].at.row, cells[i].at.label);
  };
  Random random(5, Purpose::Test, 1);
  std::vector<std::uint32_t> shuffled(cells.size());
  std::iota(shuffled.begin(), shuffled.end(), 0U);
  for (std::size_t i = shuffled.size(); i > 1; --i)
    std::swap(shuffled[i - 1], shuffled[random.below(i)]);
  std::vector<DecidedCell> decided;
  std::vector<bool> done(cells.size()), said(cells.size());
  std::size_t at_first = 0;
  while (decided.size() < cells.size()) {
    const CellProbabilities probabilities =
        learn(cells, material.data.labels(), decided, Trust::Votes, rank);
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < cells.size(); ++i)
      wrong += (done[i] ? said[i] : probabilities.right[i] >= 0.5F) != truth(i);
    if (decided.empty()) at_first = wrong;
    if (2 * wrong <= at_first) break;
    const auto& order =
        ours ? probabilities.orders[static_cast<std::size_t>(Order::Gain)] : shuffled;
    const std::size_t until = decided.size() + 20;
    for (const std::uint32_t i : order) {
      if (done[i]) continue;
      if (decided.size() == until) break;
      done[i] = true;
      said[i] = (random.below(100) < 95) == truth(i);
      Outcome outcome;
      outcome.looked = 1;
      outcome.yes = outcome.on = said[i];
      decided.push_back({i, outcome});
    }
  }
  return decided.size();
}

TEST(Learning, our_order_needs_at_most_half_of_the_decisions_of_a_random_one) {
  const ReviewMaterial material = crowd_material(600, 8, 2);
  const std::size_t ours = decisions_to_half(material, true);
  const std::size_t by_chance = decisions_to_half(material, false);
  EXPECT_LE(2 * ours, by_chance);
  EXPECT_LT(by_chance, material.cells.size());
}

TEST(Learning, what_a_rule_decided_teaches_nothing) {
  const ReviewMaterial material = crowd_material(100, 8);
  const std::vector<float> rank(material.cells.size(), 0);
  std::vector<DecidedCell> by_rule;
  for (std::size_t i = 0; i < 50; ++i) {
    Outcome outcome;
    outcome.by_rule = true;
    by_rule.push_back({i, outcome});
  }
  const auto right = [&](std::span<const DecidedCell> decided) {
    return learn(material.cells, 8, decided, Trust::Votes, rank).right;
  };
  EXPECT_EQ(right(by_rule), right({}));
}

}  // namespace
}  // namespace sieve::test
