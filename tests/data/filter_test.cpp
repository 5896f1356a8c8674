#include <gtest/gtest.h>

#include "labelsieve/prepare.h"
#include "support/support.h"

namespace sieve {
namespace {

using test::labels_of;
using Names = std::vector<std::string>;

Dataset small_set() {
  Dataset data;
  Matrix x(4, 1);
  for (std::size_t i = 0; i < 4; ++i) x(i, 0) = static_cast<float>(i);
  data.features = std::move(x);
  data.truth = labels_of({"1000", "0110", "0011", "0010"});
  data.candidates = labels_of({"1001", "1111", "0011", "1011"});
  data.label_names = {"a", "b", "c", "d"};
  return data;
}

TEST(Filter, keeps_the_most_frequent_true_labels_in_their_order) {
  Dataset data = small_set();
  const FilterReport report = filter_labels(data, 2, false);
  // c has 3 rows; a, b and d have one each, and the first of them stays.
  EXPECT_EQ(data.label_names, (Names{"a", "c"}));
  EXPECT_EQ(*data.truth, labels_of({"10", "01", "01", "01"}));
  EXPECT_EQ(data.candidates, labels_of({"10", "11", "01", "11"}));
  EXPECT_EQ(report.labels_before, 4U);
  EXPECT_EQ(report.labels_after, 2U);
  EXPECT_EQ(report.rows_after, 4U);
}

TEST(Filter, drops_rows_left_without_a_true_label) {
  Dataset data = small_set();
  const FilterReport report = filter_labels(data, 1, true);
  EXPECT_EQ(report.rows_before, 4U);
  EXPECT_EQ(report.rows_after, 3U);
  EXPECT_EQ(data.rows(), 3U);
  EXPECT_EQ(data.features.dense()(0, 0), 1.0F);
  EXPECT_EQ(*data.truth, labels_of({"1", "1", "1"}));
}

TEST(Filter, counts_candidates_where_there_is_no_truth) {
  Dataset data = small_set();
  data.truth.reset();
  filter_labels(data, 1, true);
  EXPECT_EQ(data.label_names, (Names{"d"}));  // d is on in 4 rows, a and c in 3
  EXPECT_EQ(data.rows(), 4U);
}

TEST(Filter, keeps_all_labels_for_zero_or_more_than_there_are) {
  for (const std::size_t keep : {0U, 4U, 9U}) {
    Dataset data = small_set();
    const FilterReport report = filter_labels(data, keep, true);
    EXPECT_EQ(report.labels_after, 4U);
    EXPECT_TRUE(same_content(data, small_set()));
  }
}

TEST(Filter, can_drop_every_row) {
  Dataset data = small_set();
  data.truth = LabelMatrix(4, 4);
  EXPECT_EQ(filter_labels(data, 2, true).rows_after, 0U);
  EXPECT_EQ(data.features.rows(), 0U);
}

}  // namespace
}  // namespace sieve
