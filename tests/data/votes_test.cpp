#include "labelsieve/labels.h"

#include <gtest/gtest.h>

#include "labelsieve/dataset.h"
#include "labelsieve/error.h"
#include "labelsieve/prepare.h"

namespace sieve {
namespace {

// Row 0: ann ticks 2 and 0, bob sees nothing. Row 1: nobody. Row 2: bob ticks 1.
Votes three_rows() {
  VoteCollector said;
  said.tick(2, 1, 1);
  said.tick(0, 0, 2);
  said.annotate(0, 1);
  said.tick(0, 0, 0);
  said.tick(0, 0, 2);
  said.annotate(0, 0);
  return said.finish(3, {"ann", "bob"});
}

std::vector<std::uint32_t> ticked(const Votes& votes, std::size_t annotation) {
  const auto labels = votes.ticked(annotation);
  return {labels.begin(), labels.end()};
}

Dataset with_votes(const Votes& votes, std::vector<std::string> ids) {
  Dataset data;
  data.features = Features(Matrix(votes.rows(), 1));
  data.candidates = votes.any_tick(3);
  data.label_names = {"a", "b", "c"};
  data.votes = std::make_shared<const Votes>(votes);
  data.ids = std::move(ids);
  return data;
}

TEST(Votes, stand_by_row_and_annotator_and_count_once) {
  const Votes votes = three_rows();
  EXPECT_EQ(votes.rows(), 3u);
  EXPECT_EQ(votes.annotations(), 3u);
  EXPECT_EQ(votes.ticks(), 3u);
  EXPECT_EQ(votes.annotations(0), 2u);
  EXPECT_EQ(votes.annotations(1), 0u);
  EXPECT_EQ(ticked(votes, 0), (std::vector<std::uint32_t>{0, 2}));
  EXPECT_EQ(ticked(votes, 1), std::vector<std::uint32_t>{});
  EXPECT_EQ(votes.annotator(2), 1u);
}

TEST(Votes, give_the_union_of_ticks) {
  const LabelMatrix any = three_rows().any_tick(3);
  EXPECT_EQ(any.count(), 3u);
  EXPECT_TRUE(any.get(0, 0) && any.get(0, 2) && any.get(2, 1));
}

TEST(Votes, follow_their_rows) {
  const std::vector<std::size_t> rows = {2, 0, 2};
  const Votes votes = three_rows().select_rows(rows);
  EXPECT_EQ(votes.rows(), 3u);
  EXPECT_EQ(votes.annotations(0), 1u);
  EXPECT_EQ(ticked(votes, 1), (std::vector<std::uint32_t>{0, 2}));
  EXPECT_EQ(ticked(votes, 3), std::vector<std::uint32_t>{1});
}

TEST(Votes, keep_looks_whose_labels_go) {
  const std::vector<std::size_t> kept = {1, 2};
  const Votes votes = three_rows().select_labels(kept);
  EXPECT_EQ(votes.annotations(), 3u);
  EXPECT_EQ(ticked(votes, 0), std::vector<std::uint32_t>{1});
  EXPECT_EQ(ticked(votes, 2), std::vector<std::uint32_t>{0});
}

TEST(Votes, know_an_annotator_by_name_when_stacked) {
  VoteCollector said;
  said.tick(0, 0, 1);
  said.tick(0, 1, 0);
  const Votes both = stack_rows(three_rows(), said.finish(1, {"bob", "cyd"}));
  EXPECT_EQ(both.rows(), 4u);
  ASSERT_EQ(both.annotators().size(), 3u);
  EXPECT_EQ(both.annotators()[2], "cyd");
  EXPECT_EQ(both.annotator(3), 1u);
  EXPECT_EQ(both.annotator(4), 2u);
}

TEST(Votes, travel_with_a_data_set) {
  const Dataset data = with_votes(three_rows(), {"x", "y", "z"});
  const std::vector<std::size_t> rows = {2};
  const Dataset last = data.select_rows(rows);
  EXPECT_EQ(last.ids, std::vector<std::string>{"z"});
  EXPECT_EQ(last.votes->annotations(), 1u);
  EXPECT_EQ(training_data(data).subset(rows).votes->annotations(), 1u);
  EXPECT_FALSE(same_content(data, with_votes(three_rows(), {"x", "y", "w"})));
  Dataset filtered = data.clone();
  filter_labels(filtered, 2, false);
  EXPECT_EQ(filtered.votes->ticks(), filtered.candidates.count());
}

TEST(Votes, are_refused_on_one_side_only) {
  Dataset bare = with_votes(three_rows(), {"u", "v", "w"});
  bare.votes = nullptr;
  EXPECT_THROW(stack_rows(with_votes(three_rows(), {"x", "y", "z"}), bare), Error);
}

TEST(Ids, are_refused_twice) {
  const Dataset data = with_votes(three_rows(), {"x", "y", "z"});
  EXPECT_THROW(stack_rows(data.clone(), with_votes(three_rows(), {"u", "v", "x"})), Error);
  const Dataset all = stack_rows(data.clone(), with_votes(three_rows(), {"u", "v", "w"}));
  EXPECT_EQ(all.ids[5], "w");
  EXPECT_EQ(all.votes->rows(), 6u);
}

// As three_rows(), but ann is unsure of label 1 in row 0, and bob of 0 and 2 in row 2.
Votes some_unsure() {
  VoteCollector said;
  said.tick(0, 0, 0), said.tick(0, 0, 2), said.annotate(0, 1), said.tick(2, 1, 1);
  said.unsure(0, 0, 1), said.unsure(2, 1, 0), said.unsure(2, 1, 2);
  return said.finish(3, {"ann", "bob"});
}

std::vector<std::uint32_t> unsure(const Votes& votes, std::size_t annotation) {
  const auto labels = votes.unsure(annotation);
  return {labels.begin(), labels.end()};
}

TEST(Votes, may_say_neither_yes_nor_no) {
  const Votes votes = some_unsure();
  EXPECT_EQ(three_rows().unsure(), 0u);
  EXPECT_EQ(votes.unsure(), 3u);
  EXPECT_EQ(unsure(votes, 0), (std::vector<std::uint32_t>{1}));
  EXPECT_EQ(unsure(votes, 1), (std::vector<std::uint32_t>{}));
  EXPECT_FALSE(votes.speaks_of(0, 1));
  EXPECT_TRUE(votes.speaks_of(0, 0) && votes.speaks_of(1, 1));
  EXPECT_EQ(votes.votes_on(0, 1), 1u);
  EXPECT_EQ(votes.votes_on(0, 0), 2u);
  EXPECT_EQ(votes.votes_on(2, 2), 0u);
  EXPECT_NE(votes, three_rows());
}

TEST(Votes, an_unsure_vote_replaces_a_tick) {
  VoteCollector said;
  said.tick(0, 0, 1), said.unsure(0, 0, 1);
  const Votes votes = said.finish(1, {"ann"});
  EXPECT_EQ(votes.ticks(), 0u);
  EXPECT_EQ(votes.unsure(), 1u);
}

TEST(Votes, keep_what_is_unsure_through_rows_labels_and_numbers) {
  const Votes votes = some_unsure();
  const std::vector<std::size_t> rows = {2, 0}, labels = {1, 2};
  EXPECT_EQ(unsure(votes.select_rows(rows), 0), (std::vector<std::uint32_t>{0, 2}));
  EXPECT_EQ(unsure(votes.select_labels(labels), 0), (std::vector<std::uint32_t>{0}));
  EXPECT_EQ(unsure(votes.select_labels(labels), 2), (std::vector<std::uint32_t>{1}));
  const std::vector<std::uint32_t> number = {2, 1, 0};
  EXPECT_EQ(unsure(votes.renumber_labels(number), 2), (std::vector<std::uint32_t>{0, 2}));
  const Votes both = stack_rows(three_rows(), votes);
  EXPECT_EQ(both.unsure(), 3u);
  EXPECT_EQ(unsure(both, 3), (std::vector<std::uint32_t>{1}));
}

// Ann ticks label 0 by one step and 2 by three in row 0, bob label 1 by none in row 2.
Votes graded() {
  VoteCollector said;
  said.tick(0, 0, 2, 3), said.tick(0, 0, 0, 1), said.annotate(0, 1), said.tick(2, 1, 1);
  return said.finish(3, {"ann", "bob"});
}

std::vector<int> grades(const Votes& votes, std::size_t annotation) {
  const auto all = votes.grades(annotation);
  return {all.begin(), all.end()};
}

TEST(Votes, keep_grades_through_rows_labels_and_numbers) {
  const Votes votes = graded();
  EXPECT_TRUE(votes.graded());
  EXPECT_FALSE(three_rows().graded());
  EXPECT_EQ(grades(votes, 0), (std::vector<int>{1, 3}));
  EXPECT_EQ(grades(votes, 1), (std::vector<int>{}));
  EXPECT_EQ(grades(votes, 2), (std::vector<int>{0}));
  const std::vector<std::size_t> rows = {2, 0}, last = {2}, labels = {1, 2};
  EXPECT_EQ(grades(votes.select_rows(rows), 1), (std::vector<int>{1, 3}));
  EXPECT_FALSE(votes.select_rows(last).graded()) << "no grade is left";
  EXPECT_EQ(grades(votes.select_labels(labels), 0), (std::vector<int>{3}));
  const std::vector<std::uint32_t> number = {2, 1, 0};
  EXPECT_EQ(grades(votes.renumber_labels(number), 0), (std::vector<int>{3, 1}));
  const Votes both = stack_rows(three_rows(), votes);
  EXPECT_EQ(grades(both, three_rows().annotations()), (std::vector<int>{1, 3}));
  EXPECT_NE(votes, stack_rows(votes, three_rows()).select_rows(std::vector<std::size_t>{0, 1, 1}));
}

TEST(Votes, of_several_grades_the_highest_counts_and_unsure_has_none) {
  VoteCollector said;
  said.tick(0, 0, 1, 2), said.tick(0, 0, 1), said.tick(0, 0, 1, 1), said.tick(0, 0, 3, 1);
  said.unsure(0, 0, 3), said.tick(0, 1, 3, 1);
  const Votes votes = said.finish(1, {"ann", "bob"});
  EXPECT_EQ(votes.ticks(), 2u);
  EXPECT_EQ(grades(votes, 0), (std::vector<int>{2}));
  EXPECT_EQ(grades(votes, 1), (std::vector<int>{1}));
}

TEST(Votes, programs_without_a_group_are_of_one) {
  Votes votes = three_rows();
  votes.declare({}, {0, 0});
  EXPECT_TRUE(votes.groups().empty() && !votes.has_programs());
  votes.declare({}, {0, 1});
  EXPECT_EQ(votes.groups()[0], kNoGroup);
  EXPECT_EQ(votes.groups()[1], 0u);
  votes.declare({0, kNoGroup}, {0, 1});
  EXPECT_EQ(votes.groups()[1], 1u);
  const Votes both = stack_rows(three_rows(), votes);
  EXPECT_TRUE(both.is_program(1));
  EXPECT_NE(both.groups()[0], both.groups()[1]);
  EXPECT_EQ(both.select_rows(std::vector<std::size_t>{0}).groups().size(), 2u);
}

TEST(Votes, take_new_numbers_for_their_labels) {
  const std::vector<std::uint32_t> number = {5, 1, 3};
  const Votes votes = three_rows().renumber_labels(number);
  EXPECT_EQ(ticked(votes, 0), (std::vector<std::uint32_t>{3, 5}));
  EXPECT_EQ(ticked(votes, 2), (std::vector<std::uint32_t>{1}));
}

}  // namespace
}  // namespace sieve
