#include <gtest/gtest.h>

#include <cmath>

#include "metrics/golden.h"

namespace sieve {
namespace {

using test::golden_truth;
using test::kInf;
using test::kNan;
using test::labels_of;
using test::scores_of;

TEST(Decisions, give_the_known_answers) {
  const LabelMatrix decisions = decide_by_threshold(test::golden_scores(), .5);
  EXPECT_EQ(decisions, labels_of({"1011", "0010", "0111", "0000"}));
  EXPECT_DOUBLE_EQ(hamming_loss(decisions, golden_truth()).value, .5);
  EXPECT_NEAR(micro_f1(decisions, golden_truth()).value, .428571, 5e-7);
  EXPECT_NEAR(macro_f1(decisions, golden_truth()).value, .433333, 5e-7);
  EXPECT_NEAR(sample_f1(decisions, golden_truth()).value, .325, 5e-7);
  EXPECT_EQ(exact_match(decisions, golden_truth()).value, 0);
}

TEST(Decisions, count_rows_or_labels) {
  const LabelMatrix truth = labels_of({"100", "010"});
  EXPECT_EQ(hamming_loss(truth, truth).used, 2U);
  EXPECT_EQ(micro_f1(truth, truth).used, 2U);
  EXPECT_EQ(sample_f1(truth, truth).used, 2U);
  EXPECT_EQ(macro_f1(truth, truth).used, 3U);
}

TEST(Decisions, nothing_true_and_nothing_decided_gives_zero_division) {
  const LabelMatrix truth = labels_of({"10", "00"});
  for (const double zero : {0.0, 1.0}) {
    const MetricOptions o{.zero_division = zero};
    EXPECT_DOUBLE_EQ(macro_f1(truth, truth, o).value, (1 + zero) / 2);
    EXPECT_DOUBLE_EQ(sample_f1(truth, truth, o).value, (1 + zero) / 2);
    EXPECT_DOUBLE_EQ(micro_f1(LabelMatrix(1, 2), LabelMatrix(1, 2), o).value, zero);
  }
}

TEST(Decisions, work_beyond_one_word_of_labels) {
  LabelMatrix truth(1, 130), decisions(1, 130);
  truth.set(0, 0), truth.set(0, 129), decisions.set(0, 129), decisions.set(0, 64);
  EXPECT_DOUBLE_EQ(hamming_loss(decisions, truth).value, 2.0 / 130);
  EXPECT_DOUBLE_EQ(sample_f1(decisions, truth).value, .5);
  EXPECT_EQ(exact_match(decisions, truth).value, 0);
  EXPECT_EQ(exact_match(truth, truth).value, 1);
}

TEST(Decisions, no_rows_give_no_value) {
  const LabelMatrix none(0, 3);
  for (const Measured& got : {hamming_loss(none, none), exact_match(none, none),
                              micro_f1(none, none), sample_f1(none, none)}) {
    EXPECT_TRUE(std::isnan(got.value));
    EXPECT_EQ(got.used, 0U);
  }
  EXPECT_TRUE(std::isnan(hamming_loss(LabelMatrix(2, 0), LabelMatrix(2, 0)).value));
}

TEST(Decisions, refuse_other_shapes) {
  const LabelMatrix a(2, 3), b(2, 4);
  int code = 0;
  EXPECT_NE(test::refusal([&] { hamming_loss(a, b); }, &code), "");
  EXPECT_EQ(code, 3);
  EXPECT_NE(test::refusal([&] { exact_match(a, b); }), "");
  EXPECT_NE(test::refusal([&] { micro_f1(a, b); }), "");
  EXPECT_NE(test::refusal([&] { macro_f1(a, b); }), "");
  EXPECT_NE(test::refusal([&] { sample_f1(a, b); }), "");
}

TEST(Decisions, a_score_at_the_threshold_is_on) {
  Matrix scores(1, 3);
  scores(0, 0) = 0.7F, scores(0, 1) = 0.69F, scores(0, 2) = static_cast<float>(kInf);
  EXPECT_EQ(decide_by_threshold(scores, 0.7), labels_of({"101"}));
}

TEST(Decisions, threshold_refuses_nan) {
  int code = 0;
  const std::string message = test::refusal(
      [] {
        decide_by_threshold(scores_of({{1, kNan}}), .5);
      },
      &code);
  EXPECT_NE(message.find("row 1, label 2"), std::string::npos) << message;
  EXPECT_EQ(code, 3);
  EXPECT_NE(test::refusal([] { decide_by_threshold(scores_of({{1, 2}}), kNan); }, &code), "");
  EXPECT_EQ(code, 2);
}

}  // namespace
}  // namespace sieve
