#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/random.h"
#include "labelsieve/claims.h"

// How often intervals hold on simulated cells whose truth is known. Seeded, so that the counts are
// the same every time. Paths hold as often as is promised; of the other bounds some leave room of
// three standard errors.
namespace sieve {
namespace {

enum class Judge { Good, Inverted, Off40, Constant };

struct World {
  std::vector<AuditCell> cells{};
  std::vector<bool> truth{};  // by place
  double share = 0;
};

double logistic(double x) {
  return 1 / (1 + std::exp(-x));
}

// Cells whose probabilities a good model knows; other models see something else.
World make_world(std::size_t count, double middle, Judge judge, std::uint64_t seed) {
  World world;
  std::size_t ones = 0;
  for (std::size_t i = 0; i < count; ++i) {
    Random random(seed, Purpose::Test, 77, i);
    const double p = logistic(middle + 2 * random.normal());
    const bool one = random.chance(p);
    ones += one;
    const double seen = judge == Judge::Good       ? p
                        : judge == Judge::Inverted ? 1 - p
                        : judge == Judge::Off40    ? std::min(0.99, p + 0.4)
                                                   : 0.3;
    world.cells.push_back({i, static_cast<std::uint32_t>(i % 6), seen});
    world.truth.push_back(one);
  }
  world.share = static_cast<double>(ones) / static_cast<double>(count);
  return world;
}

struct Held {
  std::size_t fixed = 0, path = 0, runs = 0;
  double fixed_share() const { return static_cast<double>(fixed) / static_cast<double>(runs); }
  double path_share() const { return static_cast<double>(path) / static_cast<double>(runs); }
};

bool holds(const Interval& interval, double share) {
  return interval.low <= share + 1e-12 && share <= interval.high + 1e-12;
}

// One audit; whether the whole path of the sequence holds, and the fixed interval at its end.
void audit_once(const World& world, std::uint64_t seed, std::size_t decisions, Held& held) {
  AuditLane lane(world.cells, 6, {.seed = seed, .strata = usual_strata(world.cells.size())});
  for (std::size_t t = 0; t < decisions; ++t) lane.answer(world.truth[lane.next()->cell]);
  // The sequence is a running intersection: if the last interval holds, all did.
  held.path += holds(sequence_interval(lane, 0.9), world.share);
  const auto fixed = fixed_interval(lane, 0.9);
  held.fixed += fixed && holds(fixed->interval, world.share);
  ++held.runs;
}

Held audit_many(const World& world, std::size_t decisions, std::size_t runs) {
  Held held;
  for (std::size_t run = 0; run < runs; ++run) audit_once(world, 1000 + run, decisions, held);
  return held;
}

struct Case {
  const char* name;
  std::size_t cells;
  double middle;
  Judge judge;
  std::size_t decisions;
};

class Coverage : public testing::TestWithParam<Case> {};

TEST_P(Coverage, of_nine_in_ten_intervals_holds) {
  const Case& each = GetParam();
  const World world = make_world(each.cells, each.middle, each.judge, 21);
  const Held held = audit_many(world, each.decisions, 1500);
  EXPECT_GE(held.fixed_share(), 0.88);
  EXPECT_GE(held.path_share(), 0.9);
  RecordProperty("fixed", std::to_string(held.fixed_share()));
  RecordProperty("path", std::to_string(held.path_share()));
}

INSTANTIATE_TEST_SUITE_P(Models, Coverage,
                         testing::Values(Case{"good", 2000, 0, Judge::Good, 60},
                                         Case{"good_with_120_decisions", 2000, 0, Judge::Good, 120},
                                         Case{"inverted", 2000, -1, Judge::Inverted, 60},
                                         Case{"wrong_by_40_points", 2000, -3, Judge::Off40, 60},
                                         Case{"rare_and_wrong_by_40_points", 2000, -6, Judge::Off40,
                                              60},
                                         Case{"constant", 2000, 0, Judge::Constant, 60},
                                         Case{"fifty_cells", 50, -1, Judge::Good, 20},
                                         Case{"fifty_cells_inverted", 50, -2, Judge::Inverted, 20}),
                         [](const auto& each) { return std::string(each.param.name); });

TEST(Coverage, with_fixes_between_draws_holds_all_along) {
  std::size_t held = 0;
  constexpr std::size_t kRuns = 400;
  for (std::size_t run = 0; run < kRuns; ++run) {
    const World world = make_world(400, -1, Judge::Good, run);
    std::vector<AuditCell> suspicious = world.cells;
    std::ranges::sort(suspicious, std::greater{}, &AuditCell::probability);
    AuditLane lane(world.cells, 6, {.seed = run});
    for (std::size_t t = 0; t < 50; ++t) {
      lane.answer(world.truth[lane.next()->cell]);
      for (std::size_t f = 3 * t; f < 3 * t + 3; ++f)
        lane.fix(suspicious[f].id, world.truth[suspicious[f].id]);
    }
    held += holds(sequence_interval(lane, 0.9), world.share);
  }
  EXPECT_GE(held, kRuns * 90 / 100);
}

TEST(Coverage, of_measures_holds) {
  std::size_t fixed_held = 0, sequence_held = 0;
  constexpr std::size_t kRuns = 300;
  for (std::size_t run = 0; run < kRuns; ++run) {
    const World exported = make_world(500, -2, Judge::Good, 2 * run);
    const World others = make_world(1500, -6, Judge::Constant, 2 * run + 1);
    AuditLane one(exported.cells, 6, {.seed = run, .planned = 100});
    AuditLane two(others.cells, 6, {.seed = run, .lane = 1, .strata = 1, .planned = 100});
    for (std::size_t t = 0; t < 100; ++t) {
      one.answer(exported.truth[one.next()->cell]);
      two.answer(others.truth[two.next()->cell]);
    }
    const auto wrong = fixed_interval(one, 0.9), right = fixed_interval(two, 0.9);
    ASSERT_TRUE(wrong && right);
    const TwoLanes fixed{
        500, 1500, {wrong->value, wrong->interval}, {right->value, right->interval}};
    const TwoLanes always{500,
                          1500,
                          {one.value(), sequence_interval(one, 0.95)},
                          {two.value(), sequence_interval(two, 0.95)}};
    for (const LabelMeasure measure : kLabelMeasures) {
      const double truth = measure_at(measure, 500, 1500, exported.share, others.share);
      fixed_held += holds(fixed_measure(measure, fixed).interval, truth);
      sequence_held += holds(sequence_measure(measure, always).interval, truth);
    }
  }
  EXPECT_GE(fixed_held, 4 * kRuns * 88 / 100);
  EXPECT_GE(sequence_held, 4 * kRuns * 90 / 100);
}

TEST(Coverage, of_labels_holds_on_average) {
  std::size_t held = 0, claimed = 0;
  for (std::size_t run = 0; run < 60; ++run) {
    const World world = make_world(1200, -1, Judge::Off40, run);
    AuditLane lane(world.cells, 6, {.seed = run});
    for (std::size_t t = 0; t < 120; ++t) lane.answer(world.truth[lane.next()->cell]);
    const std::vector<LabelShare> shares = label_shares(lane, 0.9);
    for (std::size_t l = 0; l < shares.size(); ++l) {
      if (shares[l].basis == LabelBasis::Refused) continue;
      double ones = 0;
      for (std::size_t i = l; i < 1200; i += 6) ones += world.truth[i];
      ++claimed;
      held += holds(shares[l].estimate.interval, ones / 200);
    }
  }
  EXPECT_GT(claimed, 300u);
  EXPECT_GE(held, claimed * 85 / 100);
}

TEST(Coverage, of_acceptance_errs_at_most_once_in_ten) {
  std::size_t wrong_yes = 0, wrong_no = 0;
  constexpr std::size_t kRuns = 400;
  for (std::size_t run = 0; run < kRuns; ++run) {
    const World world = make_world(1000, -3, Judge::Good, run);
    AuditLane lane(world.cells, 6, {.seed = run});
    for (std::size_t t = 0; t < 150; ++t) lane.answer(world.truth[lane.next()->cell]);
    wrong_yes += sequence_at_most(lane, world.share - 0.002, 0.9) == Acceptance::Yes;
    wrong_no += sequence_at_most(lane, world.share, 0.9) == Acceptance::No;
  }
  EXPECT_LE(wrong_yes, kRuns / 10 + 18);
  EXPECT_LE(wrong_no, kRuns / 10 + 18);
}

TEST(Coverage, of_guarantees_is_broken_at_most_once_in_ten) {
  std::size_t broken = 0, promised = 0, recall_broken = 0, recall_promised = 0;
  std::vector<double> thresholds;
  for (double t = 3; t > -3; t -= 0.1) thresholds.push_back(t);
  constexpr double kShare = 0.8;
  const auto draw = [](Random& random) {
    const double x = 1.5 * random.normal();
    return ScoredDecision{x, random.chance(logistic(2 * x))};
  };
  for (std::size_t run = 0; run < 400; ++run) {
    Random random(run, Purpose::Test, 3);
    std::vector<ScoredDecision> decided, fresh;
    for (int i = 0; i < 200; ++i) decided.push_back(draw(random));
    for (int i = 0; i < 20000; ++i) fresh.push_back(draw(random));
    const auto at = [&](double threshold) {
      double right = 0, above = 0, all = 0;
      for (const ScoredDecision& each : fresh) {
        all += each.right;
        if (each.score < threshold) continue;
        ++above;
        right += each.right;
      }
      return std::pair(right / above, right / all);
    };
    if (const auto threshold = precision_threshold(decided, thresholds, kShare)) {
      ++promised;
      broken += at(*threshold).first < kShare - 0.005;
    }
    if (const auto threshold = recall_threshold(decided, kShare)) {
      ++recall_promised;
      recall_broken += at(*threshold).second < kShare - 0.005;
    }
  }
  EXPECT_GT(promised, 100u);
  EXPECT_GT(recall_promised, 100u);
  EXPECT_LE(broken, promised / 10);
  EXPECT_LE(recall_broken, recall_promised * 12 / 100);
}

}  // namespace
}  // namespace sieve
