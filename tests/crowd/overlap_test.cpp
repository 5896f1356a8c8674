#include <gtest/gtest.h>

#include <cmath>

#include "crowd/simulated_crowd.h"
#include "labelsieve/crowd.h"

namespace sieve {
namespace {

// Row i is annotated by `looks[i]` of the annotators, one after the other; each ticks label 0.
Votes annotated(const std::vector<std::size_t>& annotations, std::size_t annotators) {
  VoteCollector said;
  std::size_t next = 0;
  for (std::size_t row = 0; row < annotations.size(); ++row)
    for (std::size_t k = 0; k < annotations[row]; ++k)
      said.tick(static_cast<std::uint32_t>(row), static_cast<std::uint32_t>(next++ % annotators),
                0);
  return said.finish(annotations.size(), names(annotators));
}

// Of 100 rows, `some` have `looks` annotations and the others one.
Votes partly_shared(std::size_t some, std::size_t annotations, std::size_t annotators = 10) {
  std::vector<std::size_t> all(100, 1);
  std::fill_n(all.begin(), some, annotations);
  return annotated(all, annotators);
}

bool compared(const Votes& votes) {
  return overlap_of(votes).identifies_annotators();
}

TEST(Overlap, annotators_are_compared_where_a_fifth_of_the_rows_has_two_annotations) {
  EXPECT_TRUE(compared(partly_shared(100, 2)));
  EXPECT_TRUE(compared(partly_shared(20, 2)));
  EXPECT_TRUE(compared(partly_shared(20, 5)));
  EXPECT_EQ(why_names_are_ignored(partly_shared(100, 2)), "");
}

TEST(Overlap, annotators_are_not_compared_where_most_rows_have_one_annotation) {
  for (const std::size_t shared : {0U, 10U, 19U})
    EXPECT_FALSE(compared(partly_shared(shared, 2))) << shared;
  EXPECT_FALSE(compared(partly_shared(5, 10)));
  EXPECT_EQ(why_names_are_ignored(partly_shared(2, 2)),
            "98 of 100 rows have one annotation: annotators cannot be compared");
  EXPECT_EQ(overlap_of(partly_shared(2, 2)).rows_missing(), 18U);
}

TEST(Overlap, groups_that_never_meet_are_counted) {
  VoteCollector said;
  for (std::uint32_t row = 0; row < 20; ++row)
    for (std::uint32_t k = 0; k < 2; ++k) said.tick(row, row < 10 ? k : 2 + k, 0);
  EXPECT_EQ(overlap_of(said.finish(20, names(5))).groups, 2U);
  EXPECT_EQ(overlap_of(partly_shared(100, 3)).groups, 1U);
}

TEST(Overlap, annotators_of_single_annotations_are_not_compared_though_others_are) {
  // Annotators 0 and 1 share rows 0 to 59; 2 and 3 annotate rows of their own, and share one.
  VoteCollector said;
  for (std::uint32_t row = 0; row < 100; ++row) {
    const std::uint32_t first = row < 60 ? 0 : 2;
    if (row < 61 || row % 2 == 0) said.tick(row, first, row % 3);
    if (row < 61 || row % 2 == 1) said.tick(row, first + 1, row % 3);
  }
  const Votes votes = said.finish(100, names(4));
  EXPECT_TRUE(compared(votes));
  EXPECT_EQ(comparable_annotators(votes), (std::vector<bool>{true, true, false, false}));
  ThreadPool pool(1);
  const CrowdView view{&votes, 3, nullptr};
  const CrowdModel model = fit_crowd(view, pool);
  const auto annotators = annotator_qualities(model, view, pool);
  EXPECT_TRUE(annotators[0].compared);
  EXPECT_FALSE(annotators[2].compared);
  EXPECT_FALSE(annotators[2].guesses);
  const Matrix found = crowd_probabilities(model, view, pool);
  EXPECT_FLOAT_EQ(found(90, 0), 2.0F / 3);  // one tick of somebody unknown
  EXPECT_GT(found(30, 0), 2.0F / 3);
}

TEST(Overlap, one_annotator_is_compared_with_nobody) {
  EXPECT_FALSE(compared(annotated({1, 1, 1}, 1)));
}

TEST(Overlap, rows_and_annotators_without_annotations_do_not_count) {
  VoteCollector said;
  for (std::uint32_t annotator = 0; annotator < 3; ++annotator) said.annotate(2, annotator);
  const Votes votes = said.finish(50, names(9));
  const Overlap overlap = overlap_of(votes);
  EXPECT_EQ(overlap.rows, 1U);
  EXPECT_EQ(overlap.annotators, 3U);
  EXPECT_TRUE(overlap.identifies_annotators());
  EXPECT_FALSE(compared(VoteCollector().finish(50, names(9))));
}

TEST(Overlap, without_it_the_answer_of_a_row_is_the_share_of_its_ticks) {
  SimulatedCrowd crowd = simulate_crowd({.rows = 300, .annotations = 1});
  ThreadPool pool(2);
  const Matrix found = aggregate(crowd.votes, 6, Aggregation::CrowdModel, pool);
  const Matrix share = aggregate(crowd.votes, 6, Aggregation::Share, pool);
  for (std::size_t i = 0; i < found.rows(); ++i)
    for (std::size_t k = 0; k < 6; ++k) ASSERT_EQ(found(i, k), share(i, k));
}

TEST(Overlap, is_asked_for_on_rows_of_each_annotator_in_turn) {
  // Annotator 0 has rows 0 to 2, annotator 1 row 3; both have row 4.
  VoteCollector said;
  for (const std::uint32_t row : {0U, 1U, 2U, 4U}) said.annotate(row, 0);
  for (const std::uint32_t row : {3U, 4U}) said.annotate(row, 1);
  const Votes votes = said.finish(6, names(2));
  std::vector<std::size_t> rows;
  for (const Question& one : ask_for_overlap(votes, 10)) {
    rows.push_back(one.row);
    EXPECT_TRUE(std::isnan(one.gain));
  }
  EXPECT_EQ(rows, (std::vector<std::size_t>{0, 3, 1, 2, 4}));
  EXPECT_EQ(ask_for_overlap(votes, 2).size(), 2U);
}

}  // namespace
}  // namespace sieve
