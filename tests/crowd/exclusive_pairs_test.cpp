#include <gtest/gtest.h>

#include "base/random.h"
#include "crowd/simulated_crowd.h"
#include "labelsieve/crowd.h"

namespace sieve {
namespace {

// Rows have labels of their own; each annotator ticks those and a few others. Label 0 is "none":
// ticked where no other label is, if `kept_apart`.
struct Plan {
  std::size_t rows = 300, annotators = 5, annotations = 3, labels = 4;
  double frequency = 0.3;
  bool kept_apart = true;
  std::uint64_t seed = 1;
};

Votes drawn(const Plan& plan) {
  Random random(plan.seed, Purpose::Test);
  VoteCollector said;
  for (std::uint32_t row = 0; row < plan.rows; ++row) {
    std::vector<bool> right(plan.labels);
    for (std::size_t k = 1; k < plan.labels; ++k) right[k] = random.chance(plan.frequency);
    for (std::size_t annotation = 0; annotation < plan.annotations; ++annotation) {
      const auto annotator = static_cast<std::uint32_t>((row + annotation) % plan.annotators);
      said.annotate(row, annotator);
      bool any = false;
      for (std::uint32_t k = 1; k < plan.labels; ++k)
        if (random.chance(right[k] ? 0.8 : 0.05)) said.tick(row, annotator, k), any = true;
      if (plan.kept_apart ? !any : random.chance(plan.frequency)) said.tick(row, annotator, 0);
    }
  }
  return said.finish(plan.rows, names(plan.annotators));
}

TEST(ExclusivePairs, are_none_and_every_other_label) {
  const std::vector<ExclusivePair> found = exclusive_pairs(drawn({}));
  ASSERT_EQ(found.size(), 3U);
  for (const ExclusivePair& pair : found) {
    EXPECT_EQ(pair.first, 0U);
    EXPECT_GE(pair.expected, 10);
    EXPECT_LT(pair.p, 1e-4);
    EXPECT_EQ(pair.annotators, 5U);
    EXPECT_GT(pair.first_used, 100U);
  }
  EXPECT_LE(found[0].p, found[1].p);
}

TEST(ExclusivePairs, are_not_found_among_independent_labels) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed)
    EXPECT_TRUE(exclusive_pairs(drawn({.kept_apart = false, .seed = seed})).empty()) << seed;
  // Rare labels, where no meeting is no wonder, on few rows with many annotations each.
  std::size_t wrong = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed)
    wrong += exclusive_pairs(drawn({.rows = 40,
                                    .annotators = 20,
                                    .annotations = 20,
                                    .labels = 8,
                                    .frequency = 0.1,
                                    .kept_apart = false,
                                    .seed = seed}))
                 .size();
  EXPECT_LE(wrong, 1U);
}

TEST(ExclusivePairs, rows_annotated_often_count_about_once) {
  // Label 0 on four rows, label 1 on a third of the others; all agree. Of 80 annotations with label
  // 0 more than twenty are expected to have label 1 too, but four rows prove nothing.
  VoteCollector said;
  for (std::uint32_t row = 0; row < 60; ++row)
    for (std::uint32_t annotator = 0; annotator < 20; ++annotator) {
      said.annotate(row, annotator);
      if (row < 4) said.tick(row, annotator, 0);
      if (row >= 4 && row % 3 == 0) said.tick(row, annotator, 1);
    }
  EXPECT_TRUE(exclusive_pairs(said.finish(60, names(20))).empty());
}

TEST(ExclusivePairs, labels_of_different_annotators_are_not_such) {
  // One half uses label 0 alone, the other half label 1 alone, each on every other row.
  VoteCollector said;
  for (std::uint32_t row = 0; row < 400; ++row)
    for (std::uint32_t annotator = 0; annotator < 4; ++annotator) {
      said.annotate(row, annotator);
      if (row % 2 == 0) said.tick(row, annotator, annotator < 2 ? 0 : 1);
    }
  EXPECT_TRUE(exclusive_pairs(said.finish(400, names(4))).empty());
}

TEST(ExclusivePairs, one_combination_disproves_a_pair) {
  VoteCollector said;
  for (std::uint32_t row = 0; row < 300; ++row)
    for (std::uint32_t annotator = 0; annotator < 3; ++annotator)
      said.tick(row, annotator, (row + annotator) % 2);
  EXPECT_TRUE(
      exclusive_pairs(VoteCollector(said).finish(300, names(3))).empty());  // one answer each
  said.tick(0, 0, 2);
  const Votes apart = said.finish(300, names(3));
  ASSERT_EQ(exclusive_pairs(apart).size(), 1U);
  VoteCollector again;
  for (std::uint32_t row = 0; row < 300; ++row)
    for (std::uint32_t annotator = 0; annotator < 3; ++annotator)
      again.tick(row, annotator, (row + annotator) % 2);
  again.tick(7, 1, 0);
  again.tick(7, 1, 1);
  EXPECT_TRUE(exclusive_pairs(again.finish(300, names(3))).empty());
}

TEST(ExclusivePairs, of_nothing_or_one_annotation_are_none) {
  EXPECT_TRUE(exclusive_pairs(VoteCollector().finish(3, names(2))).empty());
  VoteCollector said;
  said.tick(0, 0, 5);
  EXPECT_TRUE(exclusive_pairs(said.finish(1, names(1))).empty());
}

TEST(ExclusivePairs, one_annotator_alone_can_show_them) {
  VoteCollector said;
  for (std::uint32_t row = 0; row < 200; ++row) said.tick(row, 0, row % 2);
  said.tick(0, 0, 2);
  EXPECT_EQ(exclusive_pairs(said.finish(200, names(1))).size(), 1U);
}

}  // namespace
}  // namespace sieve
