#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "labelsieve/error.h"
#include "metrics/golden.h"

namespace sieve {
namespace {

using testing::ElementsAre;

std::vector<std::string> keys(const std::vector<NamedMeasure>& measures) {
  std::vector<std::string> names;
  for (const NamedMeasure& m : measures) names.push_back(m.metric.key);
  return names;
}

std::map<std::string, double> values(const std::vector<NamedMeasure>& measures) {
  std::map<std::string, double> by_key;
  for (const NamedMeasure& m : measures) by_key[m.metric.key] = m.result.value;
  return by_key;
}

class Evaluate : public testing::Test {
 protected:
  const MatrixD scores_ = test::golden_scores();
  const LabelMatrix truth_ = test::golden_truth();
  const LabelMatrix decisions_ = decide_by_threshold(scores_, .5);
  const LabelMatrix candidates_ = test::labels_of({"1110", "1101", "1100", "0111"});
};

TEST_F(Evaluate, gives_every_measure_in_the_order_of_the_table) {
  const auto all = evaluate(
      truth_, {.wide_scores = &scores_, .decisions = &decisions_, .candidates = &candidates_});
  ASSERT_EQ(all.size(), all_metrics().size());
  for (std::size_t i = 0; i < all.size(); ++i) EXPECT_EQ(all[i].metric.key, all_metrics()[i].key);
}

TEST_F(Evaluate, each_key_belongs_to_its_measure) {
  const auto got = values(evaluate(
      truth_, {.wide_scores = &scores_, .decisions = &decisions_, .candidates = &candidates_}));
  EXPECT_EQ(got.at("ranking-loss"), ranking_loss(scores_, truth_).value);
  EXPECT_EQ(got.at("one-error"), one_error(scores_, truth_).value);
  EXPECT_EQ(got.at("coverage"), coverage(scores_, truth_).value);
  EXPECT_EQ(got.at("average-precision"), average_precision(scores_, truth_).value);
  EXPECT_EQ(got.at("macro-auc"), macro_auc(scores_, truth_).value);
  EXPECT_EQ(got.at("micro-auc"), micro_auc(scores_, truth_).value);
  EXPECT_EQ(got.at("hamming-loss"), hamming_loss(decisions_, truth_).value);
  EXPECT_EQ(got.at("exact-match"), exact_match(decisions_, truth_).value);
  EXPECT_EQ(got.at("micro-f1"), micro_f1(decisions_, truth_).value);
  EXPECT_EQ(got.at("macro-f1"), macro_f1(decisions_, truth_).value);
  EXPECT_EQ(got.at("sample-f1"), sample_f1(decisions_, truth_).value);
  EXPECT_EQ(got.at("cleaning-auc"), cleaning_auc(scores_, candidates_, truth_).value);
  EXPECT_EQ(got.at("cleaning-average-precision"),
            cleaning_average_precision(scores_, candidates_, truth_).value);
}

TEST_F(Evaluate, leaves_out_what_the_parts_do_not_allow) {
  EXPECT_THAT(keys(evaluate(truth_, {.wide_scores = &scores_})),
              ElementsAre("ranking-loss", "one-error", "coverage", "average-precision", "macro-auc",
                          "micro-auc"));
  EXPECT_THAT(keys(evaluate(truth_, {.decisions = &decisions_, .candidates = &candidates_})),
              ElementsAre("hamming-loss", "exact-match", "micro-f1", "macro-f1", "sample-f1"));
  EXPECT_THAT(keys(evaluate(truth_, {})), ElementsAre());
}

TEST_F(Evaluate, refuses_scores_of_both_precisions) {
  const Matrix scores(4, 4);
  EXPECT_THROW(evaluate(truth_, {.scores = &scores, .wide_scores = &scores_}), Error);
}

TEST_F(Evaluate, passes_the_options_on) {
  const MetricOptions o{.ties = Ties::Matlab, .zero_division = 1};
  const LabelMatrix nothing(4, 4);
  EXPECT_DOUBLE_EQ(values(evaluate(truth_, {.wide_scores = &scores_, .options = o})).at("coverage"),
                   .5625);
  EXPECT_EQ(
      values(evaluate(nothing, {.wide_scores = &scores_, .decisions = &nothing, .options = o}))
          .at("macro-f1"),
      1);
}

TEST(Metrics, have_unique_keys_and_a_line_of_help) {
  std::set<std::string> seen;
  for (const MetricInfo& info : all_metrics()) {
    EXPECT_TRUE(seen.insert(info.key).second) << info.key;
    EXPECT_FALSE(info.title.empty());
    EXPECT_FALSE(info.help.empty());
    const bool is_loss =
        info.key.ends_with("loss") || info.key.ends_with("error") || info.key == "coverage";
    EXPECT_EQ(info.better == Direction::LowerIsBetter, is_loss) << info.key;
  }
}

}  // namespace
}  // namespace sieve
