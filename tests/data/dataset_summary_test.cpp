#include "labelsieve/dataset.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/support.h"

namespace sieve::test {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

// Three rows, the last like the first; f2 is always 1.
Dataset small_set() {
  Dataset data;
  Matrix x(3, 2);
  x(0, 0) = 5, x(1, 0) = 6, x(2, 0) = 5;
  for (std::size_t i = 0; i < 3; ++i) x(i, 1) = 1;
  data.features = std::move(x);
  data.label_names = {"sun", "sea", "snow"};
  data.candidates = labels_of({"110", "100", "110"});
  data.truth = labels_of({"100", "101", "110"});
  return data;
}

TEST(Summarise, counts_noise_against_the_truth) {
  const DatasetSummary s = summarise(small_set());
  EXPECT_EQ(s.label_sets, 2U);
  EXPECT_EQ(s.duplicate_rows, 1U);
  ASSERT_TRUE(s.noise.has_value());
  EXPECT_EQ(s.noise->noise_share, 0.2);
  EXPECT_EQ(s.noise->noisy_rows_share, 1.0 / 3);
  EXPECT_EQ(s.noise->truth_outside, 1U);
  EXPECT_EQ(s.per_label[1].noise, 1U);
}

TEST(Summarise, finds_the_same_in_sparse_features) {
  Dataset data = small_set();
  const DatasetSummary dense = summarise(data);
  EXPECT_EQ(dense.constant_features, 1U);
  CsrMatrix x;
  x.cols = 2;
  x.starts.push_back(0);
  for (std::size_t i = 0; i < 3; ++i) {
    for (const std::uint32_t j : {0U, 1U}) {
      x.columns.push_back(j);
      x.values.push_back(data.features.dense()(i, j));
    }
    x.starts.push_back(x.values.size());
  }
  data.features = std::move(x);
  const DatasetSummary sparse = summarise(data);
  EXPECT_TRUE(sparse.sparse);
  EXPECT_EQ(sparse.constant_features, 1U);
  EXPECT_EQ(sparse.duplicate_rows, 1U);
}

// Row 0: ann ticks 0 and 1, bob ticks 0. Row 1: ann ticks nothing. Row 2: nobody looked.
TEST(Summarise, counts_annotators_looks_agreement_and_ties) {
  VoteCollector said;
  said.tick(0, 0, 0), said.tick(0, 0, 1), said.tick(0, 1, 0), said.annotate(1, 0);
  const VoteSummary s = summarise(said.finish(3, {"ann", "bob"}));
  ASSERT_EQ(s.annotators.size(), 2u);
  EXPECT_EQ(s.annotators[0].annotations, 2u);
  EXPECT_EQ(s.annotators[0].ticks, 2u);
  EXPECT_EQ(s.annotators[0].agreement, 0.5);
  EXPECT_EQ(s.annotators[1].agreement, 1.0);
  EXPECT_EQ(s.agreement, 2.0 / 3);
  EXPECT_EQ(s.annotations, 3u);
  EXPECT_EQ(s.empty_annotations, 1u);
  EXPECT_EQ(s.fewest_annotations, 0u);
  EXPECT_EQ(s.most_annotations, 2u);
  EXPECT_EQ(s.unseen_rows, 1u);
  EXPECT_EQ(s.rows_seen_once, 1u);
  EXPECT_EQ(s.ties, 1u);
  EXPECT_EQ(s.tied_rows, 1u);
}

TEST(Warnings, tell_of_features_that_count_rows_and_of_labels_that_are_lists) {
  Dataset data = small_set();
  for (std::size_t i = 0; i < 3; ++i) data.features.dense()(i, 0) = static_cast<float>(100 + i);
  data.feature_names = {"number", "one"};
  data.label_names = {"sun", "sun|sea", "on/off"};
  const std::vector<std::string> warnings = warnings_of(summarise(data));
  EXPECT_THAT(warnings, Contains(HasSubstr("only number the rows")));
  EXPECT_THAT(warnings, Contains(HasSubstr("1 (number)")));
  EXPECT_THAT(warnings, Contains(HasSubstr("unsplit list (check the separator): 1 (sun|sea)")));
}

TEST(Warnings, name_the_labels_that_are_never_and_always_on) {
  const std::vector<std::string> warnings = warnings_of(summarise(small_set()));
  EXPECT_THAT(warnings, Contains("labels never on: 1 (snow)"));
  EXPECT_THAT(warnings, Contains("labels on in every row: 1 (sun)"));
  EXPECT_THAT(warnings, Contains(HasSubstr("true labels outside the candidates")));
}

}  // namespace
}  // namespace sieve::test
