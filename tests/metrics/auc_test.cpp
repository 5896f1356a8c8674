#include <gtest/gtest.h>

#include <cmath>

#include "metrics/golden.h"

namespace sieve {
namespace {

using test::kInf;
using test::kNan;
using test::labels_of;
using test::scores_of;

TEST(Auc, gives_the_known_answers) {
  EXPECT_EQ(label_auc(test::golden_scores(), test::golden_truth()),
            (std::vector<double>{.5, 1, 0, 0}));
  EXPECT_NEAR(micro_auc(test::golden_scores(), test::golden_truth()).value, .492063, 5e-7);
  const Measured macro = macro_auc(test::golden_scores(), test::golden_truth());
  EXPECT_DOUBLE_EQ(macro.value, .375);
  EXPECT_EQ(macro.used, 4U);
}

TEST(Auc, labels_with_one_class_are_skipped_and_counted) {
  const MatrixD scores = scores_of({{1, 1, 1}, {2, 2, 2}});
  const LabelMatrix truth = labels_of({"010", "110"});
  const Measured macro = macro_auc(scores, truth);
  EXPECT_EQ(macro.value, 1);
  EXPECT_EQ(macro.used, 1U);
  EXPECT_EQ(macro.skipped, 2U);
  const std::vector<double> areas = label_auc(scores, truth);
  EXPECT_EQ(areas[0], 1);
  EXPECT_TRUE(std::isnan(areas[1]) && std::isnan(areas[2]));
}

TEST(Auc, one_class_alone_gives_no_value) {
  const Measured micro = micro_auc(scores_of({{1, 2}}), labels_of({"11"}));
  EXPECT_TRUE(std::isnan(micro.value));
  EXPECT_EQ(micro.used, 0U);
  EXPECT_EQ(micro.skipped, 1U);
  EXPECT_TRUE(std::isnan(macro_auc(scores_of({{1, 2}}), labels_of({"10"})).value));
  EXPECT_TRUE(std::isnan(micro_auc(MatrixD(0, 2), LabelMatrix(0, 2)).value));
}

TEST(Auc, ties_count_half_even_at_infinity) {
  EXPECT_EQ(micro_auc(scores_of({{kInf, kInf}}), labels_of({"10"})).value, .5);
  EXPECT_EQ(micro_auc(scores_of({{kInf, -kInf}}), labels_of({"10"})).value, 1);
}

TEST(Auc, orders_scores_of_both_signs_and_any_size) {
  const MatrixD scores =
      scores_of({{-kInf, -1e300, -2, -1e-310, -0.0, 0.0, 1e-310, 3, 1e300, kInf}});
  EXPECT_EQ(micro_auc(scores, labels_of({"0000001111"})).value, 1);
  EXPECT_EQ(micro_auc(scores, labels_of({"1111000000"})).value, 0);
  EXPECT_DOUBLE_EQ(micro_auc(scores, labels_of({"0000101111"})).value, 24.5 / 25);
}

// So many are sorted in another way.
TEST(Auc, orders_millions_of_scores) {
  const std::size_t rows = (std::size_t{1} << 22) + 1000;
  Matrix scores(rows, 1);
  LabelMatrix truth(rows, 1);
  for (std::size_t i = 0; i < rows; ++i) {
    const std::size_t place = i * 2654435761U % rows;  // each once: the factor is prime to rows
    scores(i, 0) = (static_cast<float>(place) - 1e6F) / 1e6F;
    truth.set(i, 0, place >= rows / 3);
  }
  EXPECT_EQ(micro_auc(scores, truth).value, 1);
}

TEST(Auc, refuses_nan_and_other_shapes) {
  const std::string message = test::refusal([] {
    macro_auc(scores_of({{kNan, 1}}), labels_of({"10"}));
  });
  EXPECT_NE(message.find("row 1, label 1"), std::string::npos) << message;
  EXPECT_NE(test::refusal([] { micro_auc(MatrixD(2, 2), LabelMatrix(2, 3)); }), "");
  EXPECT_NE(test::refusal([] { label_auc(MatrixD(2, 2), LabelMatrix(1, 2)); }), "");
}

TEST(Cleaning, looks_at_candidate_cells_alone) {
  // Candidates in order of confidence: true, false, true, true-and-false tied.
  const MatrixD confidence = scores_of({{.9, .8, .99}, {.5, .1, .1}});
  const LabelMatrix candidates = labels_of({"110", "111"}), truth = labels_of({"101", "110"});
  const Measured area = cleaning_auc(confidence, candidates, truth);
  EXPECT_DOUBLE_EQ(area.value, (2 + 1 + .5) / 6);
  EXPECT_EQ(area.used, 5U);
  const Measured precision = cleaning_average_precision(confidence, candidates, truth);
  EXPECT_DOUBLE_EQ(precision.value, (1 + 2.0 / 3 + 3.0 / 5) / 3);
}

TEST(Cleaning, without_noise_or_without_truth_has_no_value) {
  const MatrixD confidence = scores_of({{.9, .8}});
  const LabelMatrix all = labels_of({"11"}), none = labels_of({"00"});
  const Measured area = cleaning_auc(confidence, all, all);
  EXPECT_TRUE(std::isnan(area.value));
  EXPECT_EQ(area.skipped, 2U);
  EXPECT_EQ(cleaning_average_precision(confidence, all, all).value, 1);
  EXPECT_TRUE(std::isnan(cleaning_average_precision(confidence, all, none).value));
  EXPECT_TRUE(std::isnan(cleaning_average_precision(confidence, none, all).value));
}

TEST(Cleaning, refuses_candidates_of_another_shape) {
  const std::string message =
      test::refusal([] { cleaning_auc(MatrixD(1, 2), LabelMatrix(1, 3), LabelMatrix(1, 2)); });
  EXPECT_NE(message.find("the candidates are 1 rows x 3 labels"), std::string::npos) << message;
}

}  // namespace
}  // namespace sieve
