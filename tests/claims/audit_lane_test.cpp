#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "base/random.h"
#include "labelsieve/claims.h"
#include "support/support.h"

namespace sieve {
namespace {

using test::refusal;
using testing::HasSubstr;

std::vector<AuditCell> cells_of(std::size_t count) {
  std::vector<AuditCell> cells;
  for (std::size_t i = 0; i < count; ++i)
    cells.push_back(
        {7 * i, static_cast<std::uint32_t>(i % 3), Random(5, Purpose::Test, 0, i).uniform()});
  return cells;
}

std::vector<std::uint64_t> drawn(AuditLane& lane, std::size_t count, bool answer) {
  std::vector<std::uint64_t> ids;
  for (std::size_t t = 0; t < count; ++t) {
    ids.push_back(lane.next()->cell);
    lane.answer(answer);
  }
  return ids;
}

TEST(AuditLane, draws_the_same_cells_whatever_the_answers) {
  const std::vector<AuditCell> cells = cells_of(300);
  AuditLane yes(cells, 3, {.seed = 4}), no(cells, 3, {.seed = 4});
  EXPECT_EQ(drawn(yes, 100, true), drawn(no, 100, false));
}

TEST(AuditLane, goes_on_where_it_stopped) {
  const std::vector<AuditCell> cells = cells_of(300);
  AuditLane once(cells, 3, {.seed = 4}), twice(cells, 3, {.seed = 4});
  const std::vector<std::uint64_t> all = drawn(once, 70, true);
  std::vector<std::uint64_t> parts = drawn(twice, 30, true);
  const std::vector<std::uint64_t> more = drawn(twice, 40, true);
  parts.insert(parts.end(), more.begin(), more.end());
  EXPECT_EQ(all, parts);
}

TEST(AuditLane, draws_others_with_another_seed_or_lane) {
  const std::vector<AuditCell> cells = cells_of(300);
  AuditLane one(cells, 3, {.seed = 4}), seed(cells, 3, {.seed = 5}),
      lane(cells, 3, {.seed = 4, .lane = 1});
  const std::vector<std::uint64_t> ids = drawn(one, 50, true);
  EXPECT_NE(ids, drawn(seed, 50, true));
  EXPECT_NE(ids, drawn(lane, 50, true));
}

TEST(AuditLane, draws_every_cell_once_and_then_none) {
  AuditLane lane(cells_of(210), 3, {.seed = 9});
  const std::vector<std::uint64_t> ids = drawn(lane, 210, true);
  EXPECT_EQ(std::set<std::uint64_t>(ids.begin(), ids.end()).size(), 210u);
  EXPECT_FALSE(lane.next());
  EXPECT_THAT(refusal([&] { lane.answer(true); }), HasSubstr("every cell of this audit"));
  EXPECT_EQ(lane.value(), 1);
  EXPECT_EQ(sequence_interval(lane, 0.9).low, 1);
  EXPECT_EQ(fixed_interval(lane, 0.9)->method, IntervalMethod::Census);
}

TEST(AuditLane, keeps_only_the_cells_that_a_simple_sample_can_draw) {
  const std::vector<AuditCell> cells = cells_of(5000);
  AuditLane all(cells, 3, {.seed = 2, .lane = 1, .strata = 1});
  AuditLane few(
      [&](const auto& take) {
        for (const AuditCell& cell : cells) take(cell);
      },
      3, {.seed = 2, .lane = 1, .strata = 1}, 60);
  EXPECT_EQ(drawn(all, 60, true), drawn(few, 60, true));
  EXPECT_FALSE(few.next());
  EXPECT_EQ(sequence_interval(all, 0.9).low, sequence_interval(few, 0.9).low);
}

TEST(AuditLane, never_draws_what_was_fixed) {
  AuditLane lane(cells_of(250), 3, {.seed = 3});
  const std::uint64_t first = lane.next()->cell;
  lane.fix(first, false);
  lane.fix(first, false);  // once more says nothing new
  EXPECT_EQ(lane.decided(), 1u);
  const std::vector<std::uint64_t> ids = drawn(lane, 249, true);
  EXPECT_EQ(std::ranges::count(ids, first), 0);
  EXPECT_FALSE(lane.next());
  EXPECT_FALSE(fixed_interval(lane, 0.9)) << "fixes between draws leave the sequence alone";
  EXPECT_THAT(refusal([&] { lane.fix(1, true); }), HasSubstr("no such cell"));
}

TEST(AuditLane, refuses_to_audit_nothing) {
  EXPECT_THAT(refusal([] { AuditLane({}, 1, {}); }), HasSubstr("no cell to audit"));
}

TEST(ConfidenceSequence, never_widens) {
  AuditLane lane(cells_of(400), 3, {.seed = 6});
  ConfidenceSequence sequence(0.9, 120);
  Interval before;
  for (std::size_t t = 0; t < 200; ++t) {
    lane.answer(t % 3 == 0);
    sequence.add(lane.steps().back());
    EXPECT_GE(sequence.interval().low, before.low);
    EXPECT_LE(sequence.interval().high, before.high);
    before = sequence.interval();
  }
  EXPECT_LT(before.width(), 0.25);
}

TEST(FixedInterval, mirrors_ones_and_zeros) {
  const std::vector<StratumCount> strata = {{1, 20, 300}, {0, 25, 400}, {7, 19, 350}, {3, 21, 500}};
  for (const std::size_t keep : {4u, 2u}) {  // the last two make the difference between methods
    std::vector<StratumCount> some(strata.begin(), strata.begin() + keep), other = some;
    for (StratumCount& each : other) each.ones = each.decided - each.ones;
    const auto one = fixed_interval(some, 0.9), two = fixed_interval(other, 0.9);
    ASSERT_TRUE(one && two);
    EXPECT_EQ(one->method, two->method);
    EXPECT_NEAR(one->interval.low, 1 - two->interval.high, 1e-12);
    EXPECT_NEAR(one->interval.high, 1 - two->interval.low, 1e-12);
  }
}

TEST(FixedInterval, is_refused_with_few_decisions_in_many_strata) {
  const std::vector<StratumCount> strata(5, {1, 3, 100}), most(5, {10, 50, 100});
  EXPECT_FALSE(fixed_interval(strata, 0.9));
  EXPECT_FALSE(fixed_interval(most, 0.9)) << "more than a third are decided";
}

TEST(FixedInterval, widens_with_the_level) {
  const std::vector<StratumCount> strata(5, {6, 24, 1000});
  double before = 0;
  for (const double level : {0.5, 0.8, 0.9, 0.95, 0.99}) {
    const double width = fixed_interval(strata, level)->interval.width();
    EXPECT_GT(width, before);
    before = width;
  }
}

TEST(FixedInterval, of_a_simple_sample_takes_millions_of_cells) {
  const auto found = fixed_interval(std::vector<StratumCount>{{3, 300, 200'000'000}}, 0.9);
  ASSERT_TRUE(found);
  // Clopper and Pearson, which the finite population hardly changes.
  EXPECT_NEAR(found->interval.low, 0.00273, 1e-4);
  EXPECT_NEAR(found->interval.high, 0.02565, 1e-4);
}

TEST(LabelShares, are_refused_below_five_decisions) {
  AuditLane lane(cells_of(300), 3, {.seed = 8});
  drawn(lane, 9, true);
  for (const LabelShare& share : label_shares(lane, 0.9))
    EXPECT_EQ(share.basis == LabelBasis::Refused,
              share.decisions < 5 || share.estimate.interval.width() > 0.5);
}

TEST(Recalibration, without_decisions_changes_nothing) {
  const Recalibrated found = recalibrate({}, 2);
  EXPECT_NEAR(found.applied.apply(0.3, 1), 0.3, 1e-12);
}

TEST(Guess, needs_two_other_crowds) {
  const std::vector<ReferenceCrowd> crowds = {{"a", {0.2}, {0.3}}, {"b", {0.2}, {0.3}}};
  EXPECT_THAT(refusal([&] { guess_spread(crowds, "a", 0.9); }), HasSubstr("two reference crowds"));
  const Interval range = guess_range(0.3, 0.1, guess_spread(crowds, "", 0.9));
  EXPECT_LT(range.low, 0.3);
  EXPECT_GT(range.high, 0.3);
}

}  // namespace
}  // namespace sieve
