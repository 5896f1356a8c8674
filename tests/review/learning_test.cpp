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

// Cells with these log-odds, a row each list; labels in order.
ReviewCells cells_with(const std::vector<std::vector<float>>& odds) {
  std::vector<ReviewCell> cells;
  for (std::uint32_t row = 0; row < odds.size(); ++row)
    for (std::uint32_t label = 0; label < odds[row].size(); ++label)
      cells.push_back({{row, label}, true, odds[row][label]});
  return {std::move(cells), odds.size()};
}

DecidedCell decided(std::size_t cell, bool on) {
  return {cell, {.looked = 1, .yes = on ? 1U : 0U, .on = on}};
}

std::vector<std::uint32_t> rows_in_order(const ReviewCells& cells,
                                         std::span<const DecidedCell> decided) {
  const std::vector<float> rank(cells.size(), 0);
  const CellProbabilities now = learn(cells, 9, decided, Trust::Votes, rank);
  std::vector<std::uint32_t> rows;
  for (const std::uint32_t cell : now.orders[static_cast<std::size_t>(Order::Row)])
    if (rows.empty() || rows.back() != cells[cell].at.row) rows.push_back(cells[cell].at.row);
  return rows;
}

TEST(Learning, what_stands_beside_a_label_counts) {
  // The second label is likely in every second row, and there alone the first one is right.
  std::vector<std::vector<float>> odds;
  for (int row = 0; row < 80; ++row) odds.push_back({0.0F, row % 2 == 0 ? 4.0F : -4.0F});
  const ReviewCells cells = cells_with(odds);
  std::vector<DecidedCell> some;
  for (std::size_t row = 0; row < 40; ++row)
    some.push_back(decided(cells.first(row), row % 2 == 0));
  const std::vector<float> right = learn_right(cells, 2, some, Trust::Votes);
  EXPECT_GT(right[cells.first(78)], 0.65F);
  EXPECT_LT(right[cells.first(79)], 0.35F);
  EXPECT_EQ(learn_right(cells, 2, {}, Trust::Votes)[cells.first(78)], 0.5F);
}

TEST(Learning, rows_come_first_in_which_a_second_changes_most) {
  const float sure = 6, clear = 3.5F, likely = 2;
  const ReviewCells cells = cells_with({{0, clear, clear, clear, clear},
                                        {0, sure, sure, sure, sure},
                                        {0, 0, 0, sure, sure},
                                        {likely, likely}});
  EXPECT_EQ(rows_in_order(cells, {}), (std::vector<std::uint32_t>{2, 1, 0, 3}))
      << "sure labels take no time";
  const std::vector<DecidedCell> two = {decided(cells.first(2), true),
                                        decided(cells.first(2) + 1, false),
                                        decided(cells.first(2) + 2, true)};
  EXPECT_EQ(rows_in_order(cells, two).back(), 2U) << "only sure labels are left there";
}

TEST(Learning, the_first_decisions_are_learnt_from_at_once) {
  EXPECT_EQ(learnt_anew_after(0, 10), 1U);
  EXPECT_EQ(learnt_anew_after(100, 10), 6U);
  EXPECT_EQ(learnt_anew_after(1000, 10), 10U);
  EXPECT_EQ(learnt_anew_after(0, 1), 1U);
}

}  // namespace
}  // namespace sieve::test
