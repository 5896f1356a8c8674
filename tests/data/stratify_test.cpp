#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <set>

#include "labelsieve/prepare.h"
#include "support/stratify_reference.h"
#include "support/support.h"

namespace sieve {
namespace {

using test::Folds;
using test::labels_of;
using test::make_labels;
using test::measure;
using test::refusal;
using test::StratifyQuality;

void expect_partition(const Folds& parts, std::size_t rows) {
  std::set<std::size_t> seen;
  std::size_t total = 0;
  for (const auto& part : parts) {
    EXPECT_FALSE(part.empty());
    EXPECT_TRUE(std::ranges::is_sorted(part));
    seen.insert(part.begin(), part.end());
    total += part.size();
  }
  EXPECT_EQ(total, rows);
  EXPECT_EQ(seen.size(), rows);
  EXPECT_EQ(*seen.rbegin(), rows - 1);
}

class StratifyPatterns : public testing::TestWithParam<std::string_view> {};

TEST_P(StratifyPatterns, large_folds_hold_the_share_of_each_label) {
  const LabelMatrix labels = make_labels(GetParam(), 100000, 100, 1);
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    const Folds folds = folds_stratified(labels, 10, seed);
    expect_partition(folds, labels.rows());
    const StratifyQuality quality = measure(labels, folds);
    EXPECT_LE(quality.absolute, 0.004);
    EXPECT_LE(quality.avoidable, 0.02);
    EXPECT_GE(quality.smallest, 9980U);
    EXPECT_LE(quality.largest, 10020U);
  }
}

TEST_P(StratifyPatterns, small_folds_are_at_least_as_even_as_the_textbook_ones) {
  const LabelMatrix labels = make_labels(GetParam(), 4000, 40, 5);
  const StratifyQuality ours = measure(labels, folds_stratified(labels, 5, 5));
  const StratifyQuality textbook = measure(labels, test::stratify_textbook(labels, 5, 5));
  EXPECT_LE(ours.relative, textbook.relative + 0.01);
  EXPECT_LE(ours.absolute, textbook.absolute + 0.002);
}

INSTANTIATE_TEST_SUITE_P(All, StratifyPatterns, testing::ValuesIn(test::kLabelPatterns),
                         [](const auto& pattern) { return std::string(pattern.param); });

TEST(Stratify, a_label_that_divides_evenly_is_divided_exactly) {
  LabelMatrix labels(1000, 3);
  for (std::size_t i = 0; i < 100; ++i) labels.set(i * 7, 0);
  for (std::size_t i = 0; i < 300; ++i) labels.set(i, 1);
  for (const auto& fold : folds_stratified(labels, 10, 4)) {
    EXPECT_EQ(fold.size(), 100U);
    EXPECT_EQ(labels.select_rows(fold).label_counts(), (std::vector<std::size_t>{10, 30, 0}));
  }
}

TEST(Stratify, rows_without_labels_even_out_the_sizes) {
  LabelMatrix labels(103, 2);
  for (std::size_t i = 0; i < 5; ++i) labels.set(i, 0);
  const StratifyQuality quality = measure(labels, folds_stratified(labels, 4, 1));
  EXPECT_EQ(quality.smallest, 25U);
  EXPECT_EQ(quality.largest, 26U);
}

TEST(Stratify, shares_need_not_sum_to_one) {
  const LabelMatrix labels = make_labels("skewed", 6000, 10, 1);
  const Folds parts = stratify(labels, std::array{3.0, 2.0, 1.0}, 1);
  ASSERT_EQ(parts.size(), 3U);
  expect_partition(parts, 6000);
  for (std::size_t p = 0; p < 3; ++p)
    EXPECT_NEAR(static_cast<double>(parts[p].size()), 3000.0 - 1000.0 * static_cast<double>(p), 5);
}

TEST(Stratify, a_split_keeps_the_share_and_never_leaves_a_side_empty) {
  const LabelMatrix labels = make_labels("steep", 5000, 20, 2);
  const Split split = split_stratified(labels, 0.2, 9);
  expect_partition({split.train, split.test}, 5000);
  EXPECT_NEAR(static_cast<double>(split.test.size()), 1000, 5);
  const Split tiny = split_stratified(labels_of({"11", "11"}), 0.1, 1);
  expect_partition({tiny.train, tiny.test}, 2);
}

TEST(Stratify, is_a_function_of_the_seed) {
  const LabelMatrix labels = make_labels("topics", 2000, 30, 1);
  EXPECT_EQ(folds_stratified(labels, 5, 7), folds_stratified(labels, 5, 7));
  EXPECT_NE(folds_stratified(labels, 5, 7), folds_stratified(labels, 5, 8));
}

TEST(Stratify, takes_one_row_a_fold_and_no_labels_at_all) {
  expect_partition(folds_stratified(make_labels("dense", 7, 3, 1), 7, 1), 7);
  expect_partition(folds_stratified(LabelMatrix(9, 0), 3, 1), 9);
  expect_partition(stratify(LabelMatrix(1, 1), std::array{1.0}, 1), 1);
}

TEST(Stratify, refuses_what_can_not_be_dealt) {
  const LabelMatrix labels = labels_of({"1", "0", "1"});
  int code = 0;
  EXPECT_NE(refusal([&] { folds_stratified(labels, 4, 1); }, &code).find("3 rows cannot make 4"),
            std::string::npos);
  EXPECT_EQ(code, 2);
  EXPECT_NE(refusal([&] { folds_stratified(labels, 1, 1); }), "");
  EXPECT_NE(refusal([&] { stratify(labels, {}, 1); }), "");
  for (const double bad : {0.0, -1.0, std::nan(""), HUGE_VAL})
    EXPECT_NE(refusal([&] { stratify(labels, std::array{1.0, bad}, 1); }), "") << bad;
  for (const double bad : {0.0, 1.0, -0.5, std::nan("")})
    EXPECT_NE(refusal([&] { split_stratified(labels, bad, 1); }), "") << bad;
}

}  // namespace
}  // namespace sieve
