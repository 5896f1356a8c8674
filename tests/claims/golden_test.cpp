#include "claims/golden.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

namespace sieve::test {
namespace {

using nlohmann::json;

LaneDesign design_of(const json& of) {
  return {.seed = of.at("seed").get<std::uint64_t>(),
          .lane = of.at("lane").get<std::uint32_t>(),
          .strata = of.at("strata").get<std::size_t>(),
          .planned = of.at("budget").get<std::size_t>()};
}

// The undecided cell with the largest probability is what a reviewer fixes.
class Fixer {
 public:
  explicit Fixer(const Population& population) : population_(population) {
    for (const AuditCell& cell : population.cells) left_.push_back(cell);
    std::ranges::sort(left_, [](const AuditCell& a, const AuditCell& b) {
      return a.probability != b.probability ? a.probability > b.probability : a.id < b.id;
    });
  }
  void decided(std::uint64_t cell) {
    std::erase_if(left_, [&](const AuditCell& each) { return each.id == cell; });
  }
  std::uint64_t next() const { return left_.front().id; }

 private:
  const Population& population_;
  std::vector<AuditCell> left_;
};

// Follows the path of a case draw by draw.
class Walk {
 public:
  Walk(const std::string& name, const LaneDesign& design, double goal)
      : population_(golden_population(name)),
        lane_(population_.cells, population_.labels, design),
        sequence_(0.9, design.planned),
        fixer_(population_),
        goal_(goal) {}

  void follow(const Line& line) {
    if (line[0] == "fix") return fix(line);
    const std::optional<Draw> draw = lane_.next();
    ASSERT_TRUE(draw);
    EXPECT_EQ(std::to_string(draw->number), line[0]);
    EXPECT_EQ(std::to_string(draw->cell), line[1]);
    EXPECT_EQ(std::to_string(draw->stratum), line[2]);
    EXPECT_NEAR(draw->probability, std::stod(line[3]), 2e-8);
    const bool one = population_.truth_of(draw->cell);
    EXPECT_EQ(one, line[4] == "1");
    lane_.answer(one);
    fixer_.decided(draw->cell);
    take_steps();
    check_intervals(line);
  }
  const AuditLane& lane() const { return lane_; }

 private:
  void fix(const Line& line) {
    const std::uint64_t cell = fixer_.next();
    EXPECT_EQ(std::to_string(cell), line[1]);
    const bool one = population_.truth_of(cell);
    EXPECT_EQ(one, line[4] == "1");
    lane_.fix(cell, one);
    fixer_.decided(cell);
    take_steps();
  }
  void take_steps() {
    for (; taken_ < lane_.steps().size(); ++taken_) {
      sequence_.add(lane_.steps()[taken_]);
      if (accepted_ == Acceptance::NotYet && lane_.steps()[taken_].drawn)
        accepted_ = sequence_.at_most(goal_);
    }
  }
  void check_intervals(const Line& line) const {
    EXPECT_NEAR(lane_.value(), std::stod(line[5]), kGolden);
    const std::optional<FixedInterval> fixed = fixed_interval(lane_, 0.9);
    ASSERT_EQ(fixed.has_value(), !line[6].empty()) << line[0];
    if (fixed) {
      EXPECT_NEAR(fixed->interval.low, std::stod(line[6]), kGolden) << line[0];
      EXPECT_NEAR(fixed->interval.high, std::stod(line[7]), kGolden) << line[0];
      EXPECT_EQ(to_string(fixed->method), line[8]) << line[0];
    }
    EXPECT_NEAR(sequence_.interval().low, std::stod(line[9]), kGolden) << line[0];
    EXPECT_NEAR(sequence_.interval().high, std::stod(line[10]), kGolden) << line[0];
    if (goal_ >= 0) {
      EXPECT_EQ(to_string(accepted_), line[11]) << line[0];
    }
  }

  Population population_;
  AuditLane lane_;
  ConfidenceSequence sequence_;
  Fixer fixer_;
  double goal_;
  std::size_t taken_ = 0;
  Acceptance accepted_ = Acceptance::NotYet;
};

class GoldenAudit : public testing::TestWithParam<std::string> {};

TEST_P(GoldenAudit, has_the_strata_worked_out_elsewhere) {
  const json facts = golden_json("cases.json").at(GetParam());
  const Population population = golden_population(GetParam());
  EXPECT_EQ(audit_strata(population.cells, design_of(facts)), population.strata);
  AuditLane lane(population.cells, population.labels, design_of(facts));
  const std::vector<double> models = lane.stratum_models();
  const std::vector<StratumCount> counts = lane.counts();
  ASSERT_EQ(counts.size(), facts.at("stratum_sizes").size());
  for (std::size_t h = 0; h < counts.size(); ++h) {
    EXPECT_EQ(counts[h].cells, facts.at("stratum_sizes")[h].get<std::size_t>());
    EXPECT_NEAR(models[h], facts.at("stratum_model")[h].get<double>(), kGolden);
  }
}

TEST_P(GoldenAudit, follows_the_path_worked_out_elsewhere) {
  const json facts = golden_json("cases.json").at(GetParam());
  Walk walk(GetParam(), design_of(facts), facts.at("goal").get<double>());
  for (const Line& line : golden_lines(GetParam() + "_path.csv")) {
    walk.follow(line);
    if (HasFatalFailure()) return;
  }
  EXPECT_EQ(walk.lane().draws(), facts.at("decisions").get<std::size_t>());
}

INSTANTIATE_TEST_SUITE_P(Cases, GoldenAudit,
                         testing::Values("good", "inverted", "off40", "none_wrong", "all_wrong",
                                         "census", "mixed"),
                         [](const auto& each) { return each.param; });

void check(const Estimated& found, const json& expected, const std::string& about) {
  EXPECT_NEAR(found.value, expected[0].get<double>(), kGolden) << about;
  EXPECT_NEAR(found.interval.low, expected[1].get<double>(), kGolden) << about;
  EXPECT_NEAR(found.interval.high, expected[2].get<double>(), kGolden) << about;
}

TEST(GoldenMeasures, of_two_lanes_are_those_worked_out_elsewhere) {
  Walk exported("exported", {.seed = 11, .lane = 0, .strata = 5}, -1);
  Walk others("others", {.seed = 11, .lane = 1, .strata = 1}, -1);
  for (const Line& line : golden_lines("exported_path.csv")) exported.follow(line);
  for (const Line& line : golden_lines("others_path.csv")) others.follow(line);
  const json expected = golden_json("quantities.json");
  const auto wrong = fixed_interval(exported.lane(), 0.9);
  const auto right = fixed_interval(others.lane(), 0.9);
  ASSERT_TRUE(wrong && right);
  const TwoLanes fixed{400, 900, {wrong->value, wrong->interval}, {right->value, right->interval}};
  const TwoLanes always{400,
                        900,
                        {exported.lane().value(), sequence_interval(exported.lane(), 0.95)},
                        {others.lane().value(), sequence_interval(others.lane(), 0.95)}};
  for (const LabelMeasure measure : kLabelMeasures) {
    const std::string name(to_string(measure));
    check(fixed_measure(measure, fixed), expected.at("fixed").at(name), name);
    check(sequence_measure(measure, always), expected.at("sequence").at(name), name);
  }
}

AuditLane good_lane(std::vector<WeighedDecision>* decided = nullptr) {
  const Population population = golden_population("good");
  AuditLane lane(population.cells, population.labels, {.seed = 1});
  std::vector<std::pair<Draw, bool>> answers;
  for (int t = 0; t < 120; ++t) {
    const Draw draw = *lane.next();
    const bool one = population.truth_of(draw.cell);
    answers.emplace_back(draw, one);
    lane.answer(one);
  }
  if (!decided) return lane;
  const std::vector<StratumCount> counts = lane.counts();
  for (const auto& [draw, one] : answers) {
    const auto cell = std::ranges::find(population.cells, draw.cell, &AuditCell::id);
    const StratumCount& stratum = counts[draw.stratum];
    decided->push_back({cell->probability, draw.label, one,
                        static_cast<double>(stratum.cells) / static_cast<double>(stratum.decided)});
  }
  return lane;
}

TEST(GoldenLabels, are_claimed_as_worked_out_elsewhere) {
  const std::vector<LabelShare> shares = label_shares(good_lane(), 0.9);
  const json expected = golden_json("labels.json").at("labels");
  ASSERT_EQ(shares.size(), expected.size());
  for (std::size_t l = 0; l < shares.size(); ++l) {
    EXPECT_EQ(to_string(shares[l].basis), expected[l].at("basis").get<std::string>()) << l;
    EXPECT_EQ(shares[l].decisions, expected[l].at("decisions").get<std::size_t>()) << l;
    EXPECT_NEAR(shares[l].share, expected[l].at("share").get<double>(), kGolden) << l;
    EXPECT_NEAR(shares[l].effective, expected[l].at("n_eff").get<double>(), kGolden) << l;
    check(shares[l].estimate,
          {expected[l].at("value"), expected[l].at("low"), expected[l].at("high")},
          "label " + std::to_string(l));
  }
}

TEST(GoldenRecalibration, has_the_coefficients_worked_out_elsewhere) {
  std::vector<WeighedDecision> decided;
  good_lane(&decided);
  const Recalibrated found = recalibrate(decided, 6);
  const json expected = golden_json("labels.json").at("recalibration");
  ASSERT_EQ(found.candidates.size(), expected.at("candidates").size());
  const auto same = [](const Recalibration& a, const json& b) {
    EXPECT_NEAR(a.offset, b.at("offset").get<double>(), kGolden);
    EXPECT_NEAR(a.temper, b.at("temper").get<double>(), kGolden);
    for (std::size_t l = 0; l < 6; ++l)
      EXPECT_NEAR(a.label[l], b.at("label")[l].get<double>(), kGolden);
  };
  for (std::size_t c = 0; c < found.candidates.size(); ++c) {
    const json& candidate = expected.at("candidates")[c];
    SCOPED_TRACE(candidate.at("name").get<std::string>());
    EXPECT_EQ(found.candidates[c].name, candidate.at("name").get<std::string>());
    same(found.candidates[c].change, candidate);
    EXPECT_NEAR(found.candidates[c].left_out, candidate.at("loo").get<double>(), kGolden);
    EXPECT_NEAR(found.candidates[c].weight, candidate.at("weight").get<double>(), kGolden);
  }
  same(found.applied, expected.at("applied"));
  const Population population = golden_population("good");
  for (std::size_t i = 0; i < 10; ++i)
    EXPECT_NEAR(found.applied.apply(population.cells[i].probability, population.cells[i].label),
                expected.at("first_ten_after")[i].get<double>(), kGolden);
}

TEST(GoldenNumbers, of_fixed_intervals_agree) {
  const json numbers = golden_json("numbers.json");
  EXPECT_EQ(numbers.at("fixed").size(), 9u);
  for (const json& one : numbers.at("fixed")) {
    std::vector<StratumCount> strata;
    for (std::size_t h = 0; h < one.at("k").size(); ++h)
      strata.push_back({one.at("k")[h], one.at("n")[h], one.at("N")[h]});
    const auto found = fixed_interval(strata, 0.9);
    ASSERT_TRUE(found);
    check({found->value, found->interval}, one.at("result"), one.dump());
    EXPECT_EQ(to_string(found->method), one.at("result")[3].get<std::string>());
  }
}

TEST(GoldenNumbers, of_plans_and_reviewers_agree) {
  const json numbers = golden_json("numbers.json");
  for (const json& one : numbers.at("plan")) {
    std::vector<PlannedStratum> strata;
    for (std::size_t h = 0; h < one.at("stratum_sizes").size(); ++h)
      strata.push_back({one.at("stratum_sizes")[h], one.at("stratum_model")[h]});
    const AuditPlan plan = plan_audit(strata, one.at("half_width"), 0.9);
    EXPECT_EQ(plan.fixed, one.at("fixed").get<std::size_t>());
    EXPECT_EQ(plan.sequential, one.at("sequential").get<std::size_t>());
  }
  for (const json& one : numbers.at("reviewers")) {
    const ReviewerErrors found = correct_for_reviewers({one.at("low"), one.at("high")},
                                                       one.at("disagreements"), one.at("pairs"));
    EXPECT_NEAR(found.error.low, one.at("error_range")[0].get<double>(), kGolden);
    EXPECT_NEAR(found.error.high, one.at("error_range")[1].get<double>(), kGolden);
    EXPECT_NEAR(found.corrected.low, one.at("corrected")[0].get<double>(), kGolden);
    EXPECT_NEAR(found.corrected.high, one.at("corrected")[1].get<double>(), kGolden);
  }
}

TEST(GoldenNumbers, of_guesses_agree) {
  const json guess = golden_json("numbers.json").at("guess");
  std::vector<ReferenceCrowd> crowds;
  for (const auto& [name, table] : guess.at("table").items())
    crowds.push_back({name, table.at("real"), table.at("estimate")});
  for (const json& one : guess.at("ranges")) {
    const std::string name = one.at("left_out");
    const GuessSpread spread = guess_spread(crowds, name, 0.9);
    EXPECT_NEAR(spread.shift, one.at("shift").get<double>(), kGolden);
    EXPECT_NEAR(spread.crowd_variance, one.at("crowd_variance").get<double>(), kGolden);
    EXPECT_NEAR(spread.label_variance, one.at("label_variance").get<double>(), kGolden);
    EXPECT_NEAR(spread.deviation, one.at("tau").get<double>(), kGolden);
    EXPECT_NEAR(spread.quantile, one.at("quantile").get<double>(), kGolden);
    for (std::size_t l = 0; l < one.at("ranges").size(); ++l) {
      const Interval range =
          guess_range(guess.at("table").at(name).at("estimate")[l], guess.at("se"), spread);
      EXPECT_NEAR(range.low, one.at("ranges")[l][0].get<double>(), kGolden);
      EXPECT_NEAR(range.high, one.at("ranges")[l][1].get<double>(), kGolden);
    }
  }
}

TEST(GoldenNumbers, of_guarantees_agree) {
  std::vector<ScoredDecision> decided;
  for (const Line& line : golden_lines("guarantee.csv"))
    decided.push_back({std::stod(line[0]), line[1] == "1"});
  const json expected = golden_json("numbers.json").at("guarantee");
  const auto grid = expected.at("grid").get<std::vector<double>>();
  const auto same = [](const std::optional<double>& found, const json& threshold) {
    ASSERT_EQ(found.has_value(), !threshold.is_null());
    if (found) {
      EXPECT_NEAR(*found, threshold.get<double>(), kGolden);
    }
  };
  for (const auto& [share, threshold] : expected.at("precision").items())
    same(precision_threshold(decided, grid, std::stod(share)), threshold);
  for (const auto& [share, threshold] : expected.at("recall").items())
    same(recall_threshold(decided, std::stod(share)), threshold);
  for (const auto& [share, fewest] : expected.at("minimum").items())
    EXPECT_EQ(fewest_decisions(std::stod(share)), fewest.get<std::size_t>());
}

}  // namespace
}  // namespace sieve::test
