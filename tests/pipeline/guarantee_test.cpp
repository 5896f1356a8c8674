#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "echo.h"
#include "labelsieve/error.h"
#include "labelsieve/pipeline.h"
#include "support/support.h"

namespace sieve::test {
namespace {

using ::testing::HasSubstr;

// Rows whose labels are right as often as their scores say; "sea" is `rare` times less frequent.
struct Simulated {
  Simulated(std::size_t rows, double rare, unsigned seed) : scores(rows, 2) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> uniform;
    for (std::uint32_t i = 0; i < rows; ++i)
      for (std::uint32_t l = 0; l < 2; ++l) {
        const double score = std::pow(uniform(random), l == 0 ? 1 : rare);
        scores(i, l) = static_cast<float>(score);
        cells.push_back({i, l, uniform(random) < score});
      }
  }
  DecidedRows decided() const { return {scores.clone(), cells}; }

  Matrix scores;
  std::vector<GoldCell> cells;
};

// Above the threshold t, scores are uniform between t and 1: precision is (1 + t) / 2, and recall
// is 1 - t^2.
bool is_broken(const GuaranteeGoal& goal, double threshold) {
  return (goal.about == "precision" ? (1 + threshold) / 2 : 1 - threshold * threshold) < goal.share;
}

// The lowest threshold (or for a recall, the highest) at which the decisions themselves show the
// share, as somebody would choose it who forgets about chance.
double careless_threshold(const DecidedRows& decided, const GuaranteeGoal& goal) {
  const bool of_precision = goal.about == "precision";
  double chosen = of_precision ? 1 : 0;
  for (int step = 0; step <= 200; ++step) {
    const double threshold = of_precision ? 1 - step / 200.0 : step / 200.0;
    double above = 0, right = 0, both = 0;
    for (const GoldCell& cell : decided.cells) {
      if (cell.label != 0) continue;
      const bool on = static_cast<double>(decided.scores(cell.row, 0)) >= threshold;
      above += on, right += cell.on, both += on && cell.on;
    }
    if (both >= goal.share * (of_precision ? above : right)) chosen = threshold;
  }
  return chosen;
}

// With this number of decided rows, the test of a threshold halfway to the best scores has a power
// of 98
// %.
struct Promise {
  GuaranteeGoal goal;
  std::size_t rows;
};
class GuaranteeOf : public testing::TestWithParam<Promise> {};

// Decisions are drawn anew each time. A promise that is not made is not broken, so that it has to
// be made nearly always here, where it can be kept; and the threshold that forgets about chance has
// to break it far more often than it may, else the draws would not tell a good choice from a bad
// one.
TEST_P(GuaranteeOf, is_broken_at_most_once_in_ten) {
  constexpr unsigned kRepeats = 400;
  const auto& [goal, rows] = GetParam();
  std::size_t made = 0, broken = 0, broken_by_careless = 0;
  for (unsigned seed = 0; seed < kRepeats; ++seed) {
    const DecidedRows decided = Simulated(rows, 1, seed).decided();
    broken_by_careless += is_broken(goal, careless_threshold(decided, goal));
    try {
      const Guarantee chosen = guarantee(Echo(), decided, goal);
      made += chosen.labels[0].decisions > 0 && !chosen.labels[0].shared;
      broken += is_broken(goal, chosen.labels[0].threshold);
    } catch (const Error&) {
    }
  }
  EXPECT_GE(made, kRepeats * 95 / 100);
  // 40 are to be expected at most, and chance may add two standard deviations.
  EXPECT_LE(broken, 52U);
  EXPECT_GE(broken_by_careless, 120U);
  RecordProperty("broken", static_cast<int>(broken));
  RecordProperty("broken_by_careless", static_cast<int>(broken_by_careless));
}

INSTANTIATE_TEST_SUITE_P(Goals, GuaranteeOf,
                         testing::Values(Promise{{"precision", 0.75}, 400},
                                         Promise{{"precision", 0.85}, 1600},
                                         Promise{{"recall", 0.9}, 400}),
                         [](const auto& each) {
                           return each.param.goal.about +
                                  std::to_string(static_cast<int>(100 * each.param.goal.share));
                         });

TEST(Guarantee, uses_the_room_it_has) {
  const DecidedRows many = Simulated(20'000, 1, 7).decided();
  const Guarantee precision = guarantee(Echo(), many, {"precision", 0.9});
  EXPECT_NEAR(precision.labels[0].threshold, 0.8, 0.05);
  EXPECT_FALSE(precision.labels[0].shared);
  const Guarantee recall = guarantee(Echo(), many, {"recall", 0.9});
  EXPECT_NEAR(recall.labels[0].threshold, std::sqrt(0.1), 0.02);
  const LabelMatrix on = decide_by(precision, many.scores);
  for (std::size_t i = 0; i < 100; ++i)
    EXPECT_EQ(on.get(i, 0), many.scores(i, 0) >= precision.labels[0].threshold);
}

TEST(Guarantee, puts_rare_labels_together) {
  const DecidedRows decided = Simulated(300, 12, 3).decided();
  const Guarantee recall = guarantee(Echo(), decided, {"recall", 0.8});
  EXPECT_FALSE(recall.labels[0].shared);
  std::size_t right = 0;
  for (const GoldCell& cell : decided.cells) right += cell.label == 1 && cell.on;
  EXPECT_EQ(recall.labels[1].shared, right < fewest_decisions(0.8));
  EXPECT_EQ(recall.labels[1].decisions, right);
}

TEST(Guarantee, says_how_many_rows_are_needed) {
  const DecidedRows few = Simulated(20, 1, 1).decided();
  const auto asked = [&](const char* about) {
    return refusal([&] { guarantee(Echo(), few, {about, 0.95}); });
  };
  EXPECT_THAT(asked("recall"), HasSubstr("20 decided rows are too few for recall=0.95"));
  EXPECT_THAT(asked("recall"), HasSubstr("45 are needed"));
  EXPECT_THAT(asked("precision"), HasSubstr("decide about"));
  EXPECT_THAT(refusal([&] {
                guarantee(Echo(), {Matrix(0, 2), {}}, {"recall", 0.9});
              }),
              HasSubstr("no row was decided"));
}

TEST(Guarantee, switches_on_always_what_too_little_is_known_of) {
  Simulated rare(500, 1, 2);
  for (GoldCell& cell : rare.cells)
    if (cell.label == 1) cell.on = cell.row < 3;
  const Guarantee chosen = guarantee(Echo(), rare.decided(), {"recall", 0.9});
  EXPECT_EQ(decide_by(chosen, rare.scores).label_counts()[1], 500U);
  EXPECT_EQ(chosen.labels[1].decisions, 0U);
  EXPECT_LT(decide_by(chosen, rare.scores).label_counts()[0], 500U);
}

TEST(Guarantee, never_switches_on_what_was_not_shown) {
  Simulated wrong(500, 1, 2);
  for (GoldCell& cell : wrong.cells)
    if (cell.label == 1) cell.on = false;
  const Guarantee chosen = guarantee(Echo(), wrong.decided(), {"precision", 0.9});
  EXPECT_TRUE(std::isinf(chosen.labels[1].threshold));
  EXPECT_EQ(decide_by(chosen, wrong.scores).label_counts()[1], 0U);
  EXPECT_GT(decide_by(chosen, wrong.scores).label_counts()[0], 0U);
}

TEST(Guarantee, has_thresholds_of_scores_where_these_are_no_probabilities) {
  const auto model = loud_echo();
  const DecidedRows decided = Simulated(400, 1, 5).decided();
  const Guarantee chosen = guarantee(*model, decided, {"precision", 0.7});
  const Matrix probabilities = model->probabilities(decided.scores.clone());
  const LabelMatrix on = decide_by(chosen, decided.scores);
  // The threshold lies between a score that is on and one that is not, in both scales.
  double lowest_on = 1, highest_off = 0;
  for (std::size_t i = 0; i < decided.scores.rows(); ++i)
    if (on.get(i, 0))
      lowest_on = std::min(lowest_on, double{probabilities(i, 0)});
    else
      highest_off = std::max(highest_off, double{probabilities(i, 0)});
  EXPECT_GT(lowest_on, highest_off);
  EXPECT_GT(on.label_counts()[0], fewest_decisions(0.7));
}

TEST(Guarantee, refuses_cells_that_were_chosen_by_their_candidates) {
  Dataset data;
  data.features = Features(Matrix(500, 2));
  data.feature_names = {"f1", "f2"};
  data.label_names = {"sun", "sea"};
  data.candidates = LabelMatrix(500, 2);
  std::vector<GoldCell> ticked, any;
  for (std::uint32_t i = 0; i < 500; ++i) {
    if (i % 10 == 0) data.candidates.set(i, 0);
    if (i % 10 == 0) ticked.push_back({i, 0, true});
    if (i % 3 == 0) any.push_back({i, 0, true});
  }
  ThreadPool pool(1);
  EXPECT_THAT(refusal([&] { decided_rows(Echo(), data, ticked, pool); }),
              HasSubstr("'sun' were not drawn at random"));
  EXPECT_EQ(decided_rows(Echo(), data, any, pool).scores.rows(), any.size());
}

TEST(Guarantee, reads_goals) {
  EXPECT_EQ(parse_guarantee("fdr=0.1"), parse_guarantee("precision=0.9"));
  EXPECT_EQ(to_string(parse_guarantee("recall=0.95")), "recall=0.95");
  for (const char* bad : {"", "precision", "precision=", "precision=0", "recall=1", "f1=0.9",
                          "precision=nan", "precision=0.9x"})
    EXPECT_THAT(refusal([&] { parse_guarantee(bad); }), HasSubstr("is not a guarantee")) << bad;
}

}  // namespace
}  // namespace sieve::test
