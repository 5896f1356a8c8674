#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <functional>

#include "metrics/golden.h"

namespace sieve {
namespace {

using test::golden_scores;
using test::golden_truth;
using test::kInf;
using test::kNan;
using test::labels_of;
using test::only_row;
using test::scores_of;

constexpr double kPrinted = 5e-7;  // the known answers are printed with six digits
const MetricOptions kMatlab{.ties = Ties::Matlab};
const MetricOptions kSklearnLibrary{.degenerate = DegenerateRows::Library};
const MetricOptions kMatlabLibrary{.ties = Ties::Matlab, .degenerate = DegenerateRows::Library};

using Measure = std::function<Measured(const MatrixD&, const LabelMatrix&, const MetricOptions&)>;
const Measure kRankingLoss = ranking_loss<double>, kOneError = one_error<double>,
              kCoverage = coverage<double>, kAveragePrecision = average_precision<double>;

// The value of each row by itself, and the mean.
void expect_rows(const Measure& measure, const MetricOptions& o, std::array<double, 4> rows,
                 double mean) {
  for (std::size_t i = 0; i < 4; ++i) {
    const double value =
        measure(only_row(golden_scores(), i), only_row(golden_truth(), i), o).value;
    EXPECT_NEAR(value, rows[i], kPrinted) << "row " << i;
  }
  const Measured all = measure(golden_scores(), golden_truth(), o);
  EXPECT_NEAR(all.value, mean, kPrinted);
  EXPECT_EQ(all.used, 4U);
  EXPECT_EQ(all.skipped, 0U);
}

TEST(Ranking, ranking_loss_counts_a_tie_as_an_error) {
  expect_rows(kRankingLoss, {}, {.25, 1, .666667, 1}, .729167);
  expect_rows(kRankingLoss, kMatlab, {.25, 1, .666667, 1}, .729167);
}

TEST(Ranking, one_error_forgives_a_tie_at_the_top) {
  expect_rows(kOneError, {}, {0, 1, 1, 0}, .5);
  expect_rows(kOneError, kMatlab, {0, 1, 1, 0}, .5);
}

TEST(Ranking, coverage_follows_the_tie_rule) {
  expect_rows(kCoverage, {}, {.5, .75, .5, .75}, 2.5 / 4);
  expect_rows(kCoverage, kMatlab, {.5, .75, .5, .5}, .5625);
  EXPECT_DOUBLE_EQ(coverage(golden_scores(), golden_truth()).value * 4 + 1, 3.5);
}

TEST(Ranking, average_precision_follows_the_tie_rule) {
  expect_rows(kAveragePrecision, {}, {.833333, .416667, .333333, .5}, .520833);
  expect_rows(kAveragePrecision, kMatlab, {.833333, .416667, .333333, .583333}, .541667);
}

struct Expected {
  const Measure& measure;
  double value;
  std::size_t used;
};

void expect_with_degenerate_rows(const MetricOptions& o, std::initializer_list<Expected> all) {
  const MatrixD scores = test::golden_scores_with_degenerate_rows();
  const LabelMatrix truth = test::golden_truth_with_degenerate_rows();
  for (const Expected& expected : all) {
    const Measured got = expected.measure(scores, truth, o);
    if (std::isnan(expected.value))
      EXPECT_TRUE(std::isnan(got.value));
    else
      EXPECT_NEAR(got.value, expected.value, kPrinted);
    EXPECT_EQ(got.used, expected.used);
    EXPECT_EQ(got.used + got.skipped, 6U);
  }
}

TEST(Ranking, empty_and_full_rows_are_skipped_and_counted) {
  expect_with_degenerate_rows({}, {{kRankingLoss, .729167, 4},
                                   {kOneError, .5, 4},
                                   {kCoverage, .625, 4},
                                   {kAveragePrecision, .520833, 4}});
}

TEST(Ranking, empty_and_full_rows_as_scikit_learn) {
  expect_with_degenerate_rows(kSklearnLibrary, {{kRankingLoss, .486111, 6},
                                                {kOneError, .5, 4},
                                                {kCoverage, (3.0 - 1) / 4, 6},
                                                {kAveragePrecision, .680556, 6}});
}

TEST(Ranking, empty_and_full_rows_as_the_matlab_files) {
  expect_with_degenerate_rows(kMatlabLibrary, {{kRankingLoss, .729167, 4},
                                               {kOneError, .5, 4},
                                               {kCoverage, .458333, 6},
                                               {kAveragePrecision, kNan, 5}});
}

TEST(Ranking, full_rows_alone_leave_matlab_average_precision_a_number) {
  const Measured got = average_precision(scores_of({{3, 2, 1}, {1, 2, 3}}),
                                         labels_of({"100", "111"}), kMatlabLibrary);
  EXPECT_EQ(got.value, 1);
  EXPECT_EQ(got.used, 1U);
}

TEST(Ranking, only_degenerate_rows_give_no_value) {
  for (const Measure& measure : {kRankingLoss, kOneError, kCoverage, kAveragePrecision}) {
    const Measured got = measure(scores_of({{1, 2}, {2, 1}}), labels_of({"00", "11"}), {});
    EXPECT_TRUE(std::isnan(got.value));
    EXPECT_EQ(got.used, 0U);
    EXPECT_EQ(got.skipped, 2U);
  }
}

TEST(Ranking, one_label_is_always_degenerate) {
  const MatrixD scores = scores_of({{.5}, {.1}});
  const LabelMatrix truth = labels_of({"1", "0"});
  EXPECT_EQ(ranking_loss(scores, truth).used, 0U);
  EXPECT_EQ(average_precision(scores, truth, kSklearnLibrary).value, 1);
  EXPECT_EQ(coverage(scores, truth, kSklearnLibrary).value, -.5);  // depths 1 and 0
}

TEST(Ranking, no_rows_and_no_labels_give_no_value) {
  for (const Measure& measure : {kRankingLoss, kOneError, kCoverage, kAveragePrecision}) {
    EXPECT_TRUE(std::isnan(measure(MatrixD(0, 3), LabelMatrix(0, 3), kSklearnLibrary).value));
    const Measured no_labels = measure(MatrixD(3, 0), LabelMatrix(3, 0), kSklearnLibrary);
    EXPECT_TRUE(std::isnan(no_labels.value));
    EXPECT_EQ(no_labels.skipped, 3U);
  }
}

TEST(Ranking, infinite_scores_rank_first_and_last) {
  const MatrixD scores = scores_of({{kInf, -kInf, 0}, {-kInf, -kInf, kInf}});
  const LabelMatrix truth = labels_of({"101", "100"});
  EXPECT_DOUBLE_EQ(ranking_loss(scores, truth).value, .5);
  EXPECT_DOUBLE_EQ(one_error(scores, truth).value, .5);
  EXPECT_DOUBLE_EQ(coverage(scores, truth).value, (1.0 / 3 + 2.0 / 3) / 2);
  EXPECT_DOUBLE_EQ(average_precision(scores, truth).value, (1 + 1.0 / 3) / 2);
}

TEST(Ranking, relevant_labels_at_plus_infinity_are_covered) {
  EXPECT_DOUBLE_EQ(coverage(scores_of({{kInf, kInf, 0}}), labels_of({"010"})).value, 1.0 / 3);
  EXPECT_EQ(coverage(scores_of({{kInf, kInf, 0}}), labels_of({"010"}), kMatlab).value, 0);
}

TEST(Ranking, zeros_of_both_signs_are_equal) {
  EXPECT_EQ(ranking_loss(scores_of({{0.0, -0.0}}), labels_of({"10"})).value, 1);
}

TEST(Ranking, refuses_nan_with_its_row_and_label) {
  for (const Measure& measure : {kRankingLoss, kOneError, kCoverage, kAveragePrecision}) {
    int code = 0;
    const std::string message = test::refusal(
        [&] {
          measure(scores_of({{1, 2, 3}, {1, 2, kNan}}), labels_of({"100", "000"}), {});
        },
        &code);
    EXPECT_NE(message.find("row 2, label 3"), std::string::npos) << message;
    EXPECT_EQ(code, 3);
  }
}

TEST(Ranking, refuses_other_shapes) {
  for (const Measure& measure : {kRankingLoss, kOneError, kCoverage, kAveragePrecision}) {
    int code = 0;
    const std::string message =
        test::refusal([&] { measure(MatrixD(2, 3), LabelMatrix(2, 4), {}); }, &code);
    EXPECT_NE(message.find("2 rows x 3 labels but the truth is 2 rows x 4 labels"),
              std::string::npos)
        << message;
    EXPECT_EQ(code, 3);
    EXPECT_NE(test::refusal([&] { measure(MatrixD(1, 4), LabelMatrix(2, 4), {}); }), "");
  }
}

}  // namespace
}  // namespace sieve
