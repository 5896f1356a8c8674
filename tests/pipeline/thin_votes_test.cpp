// Votes that say little: whatever comes out, it is never certain.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "base/random.h"
#include "labelsieve/pipeline.h"
#include "support/support.h"

namespace sieve::test {
namespace {

using ::testing::HasSubstr;

Dataset with_votes(const Votes& votes, std::size_t labels) {
  Dataset data;
  data.features = Features(Matrix(votes.rows(), 0));
  data.candidates = votes.any_tick(labels);
  for (std::size_t l = 0; l < labels; ++l) data.label_names.push_back("l" + std::to_string(l));
  for (std::size_t i = 0; i < votes.rows(); ++i) data.ids.push_back("r" + std::to_string(i));
  data.votes = std::make_shared<const Votes>(votes);
  return data;
}

std::vector<std::string> names(std::size_t count) {
  std::vector<std::string> all;
  for (std::size_t k = 0; k < count; ++k) all.push_back("p" + std::to_string(k));
  return all;
}

// Whether an interval is honest: not stuck to either end.
void expect_open(double value, double low, double high, const std::string& what) {
  EXPECT_TRUE(std::isfinite(value) && std::isfinite(low) && std::isfinite(high)) << what;
  EXPECT_LE(low, value) << what;
  EXPECT_GE(high, value) << what;
  if (value < 0.01 || value > 0.99) {
    EXPECT_GT(high - low, 0.02) << what << " " << value;
  }
}

void expect_sensible(const Judged& judged, const std::string& what) {
  for (std::size_t i = 0; i < judged.data.rows(); ++i)
    judged.data.candidates.for_each(i, [&](std::size_t l) {
      EXPECT_GT(judged.probabilities(i, l), 0.0F) << what;
      EXPECT_LT(judged.probabilities(i, l), 1.0F) << what;
    });
  if (!judged.crowd) return;
  for (const LabelQuality& label : judged.crowd->labels) {
    if (label.rows_ticked == 0) continue;
    expect_open(label.noise.value, label.noise.low, label.noise.high, what + " noise");
  }
  for (const AnnotatorQuality& annotator : judged.crowd->annotators) {
    const Estimate &s = annotator.sensitivity, &f = annotator.false_positive_rate;
    if (annotator.annotations > 20) continue;
    expect_open(s.value, s.low, s.high, what + " recall");
    expect_open(f.value, f.low, f.high, what + " false positives");
  }
}

Judged judged(const Votes& votes, std::size_t labels, std::vector<GoldCell> gold = {}) {
  JudgeRequest request;
  request.gold = std::move(gold);
  return judge(with_votes(votes, labels), request);
}

// `annotators` look at every row and tick what is true, but for a mistake now and then.
Votes careful(std::size_t rows, std::size_t annotators, double mistakes, std::size_t labels = 3) {
  VoteCollector said;
  for (std::uint32_t row = 0; row < rows; ++row)
    for (std::uint32_t who = 0; who < annotators; ++who) {
      said.annotate(row, who);
      for (std::uint32_t l = 0; l < labels; ++l) {
        Random random(11, Purpose::Test, row, who * 100 + l);
        const bool is_true = (row + l) % 3 == 0;
        if (is_true != (random.uniform() < mistakes)) said.tick(row, who, l);
      }
    }
  return said.finish(rows, names(annotators));
}

TEST(ThinVotes, of_one_annotator_are_a_union_that_ignores_names) {
  const Judged found = judged(careful(50, 1, 0), 3);
  EXPECT_FALSE(found.crowd);
  EXPECT_THAT(found.names_ignored, HasSubstr("annotators cannot be compared"));
  expect_sensible(found, "one annotator");
}

TEST(ThinVotes, on_one_row_are_never_certain) {
  for (const std::size_t annotators : {1U, 2U, 5U})
    expect_sensible(judged(careful(1, annotators, 0), 3), "one row");
}

TEST(ThinVotes, on_one_row_leave_nothing_to_a_regression) {
  const Judged found = judge(with_votes(careful(1, 3, 0), 3), {.method = "blend", .regress = true});
  EXPECT_EQ(found.judge, "the votes");
  expect_sensible(found, "one row");
}

TEST(ThinVotes, that_all_agree_are_likely_right_but_not_certain) {
  for (const std::size_t rows : {3U, 30U, 300U}) {
    const Judged found = judged(careful(rows, 3, 0), 3);
    expect_sensible(found, "everyone agrees");
    for (std::size_t i = 0; i < rows; ++i)
      found.data.candidates.for_each(
          i, [&](std::size_t l) { EXPECT_GT(found.probabilities(i, l), 0.5F) << rows; });
    EXPECT_EQ(clean(judged(careful(rows, 3, 0), 3)).labels.removed, 0u) << rows;
    // That no tick among n is wrong is no surprise where one in n is.
    const std::optional<Claim> noise = noise_claim(found);
    ASSERT_TRUE(noise) << rows;
    EXPECT_GT(noise->high, 1.0 / static_cast<double>(found.data.candidates.count())) << rows;
    EXPECT_LT(noise->low, 0.05) << rows;
  }
}

TEST(ThinVotes, of_an_annotator_with_one_annotation_have_wide_intervals) {
  const Votes many = careful(60, 3, 0.1);
  VoteCollector said;
  said.add(many, 0, std::vector<std::uint32_t>{0, 1, 2});
  said.tick(7, 3, 0);
  const Judged found = judged(said.finish(60, names(4)), 3);
  expect_sensible(found, "one annotation");
  ASSERT_TRUE(found.crowd);
  const AnnotatorQuality& newcomer = found.crowd->annotators[3];
  EXPECT_EQ(newcomer.annotations, 1u);
  EXPECT_GT(newcomer.sensitivity.high - newcomer.sensitivity.low, 0.3);
  EXPECT_FALSE(newcomer.sensitivity.low > 0.9);
}

TEST(ThinVotes, on_a_label_ticked_once_ignore_names_and_stay_open) {
  const Votes many = careful(60, 3, 0.1);
  VoteCollector said;
  said.add(many, 0, std::vector<std::uint32_t>{0, 1, 2});
  said.tick(7, 1, 3);
  const Judged found = judged(said.finish(60, names(3)), 4);
  expect_sensible(found, "a label ticked once");
  EXPECT_THAT(found.crowd->nameless_labels, ::testing::Contains(3u));
  EXPECT_GT(found.probabilities(7, 3), 0.02F);
  EXPECT_LT(found.probabilities(7, 3), 0.9F);
}

TEST(ThinVotes, of_groups_that_never_meet_say_so) {
  VoteCollector said;
  said.add(careful(60, 2, 0.1), 0, std::vector<std::uint32_t>{0, 1});
  said.add(careful(60, 2, 0.2), 60, std::vector<std::uint32_t>{2, 3});
  const Judged found = judged(said.finish(120, names(4)), 3);
  expect_sensible(found, "two groups");
  ASSERT_TRUE(found.crowd);
  EXPECT_EQ(found.crowd->groups, 2u);
}

TEST(ThinVotes, of_an_annotator_who_is_also_the_expert_do_not_make_anybody_perfect) {
  const Votes votes = careful(60, 3, 0.15);
  std::vector<GoldCell> gold;
  for (std::uint32_t row = 0; row < 60; row += 2)
    for (std::uint32_t l = 0; l < 3; ++l) {
      const auto ticked = votes.ticked(votes.first_annotation(row));
      gold.push_back({row, l, std::ranges::binary_search(ticked, l)});
    }
  const Judged found = judged(votes, 3, gold);
  expect_sensible(found, "annotator is gold");
  ASSERT_TRUE(found.crowd);
  const Estimate& s = found.crowd->annotators[0].sensitivity;
  EXPECT_LT(s.value, 0.995);
  EXPECT_GT(s.high - s.low, 0.005);
}

TEST(ThinVotes, that_are_all_unsure_are_no_votes) {
  VoteCollector said;
  for (std::uint32_t row = 0; row < 30; ++row)
    for (std::uint32_t who = 0; who < 3; ++who) {
      if (row % 2 == 0) said.tick(row, who, 0);
      said.unsure(row, who, 1);
      said.annotate(row, who);
    }
  expect_sensible(judged(said.finish(30, names(3)), 2), "all unsure");
}

TEST(GoldCells, that_contradict_each_other_are_refused_with_their_line) {
  const TempFolder folder;
  const std::string path = folder.path() + "/gold.csv";
  std::ofstream(path) << "id,label,truth\nr0,l0,1\nr1,l1,0\nr0,l0,0\n";
  EXPECT_THAT(refusal([&] { read_gold(path, with_votes(careful(5, 2, 0), 3)); }),
              ::testing::AllOf(HasSubstr("decided twice, in two ways"), HasSubstr("gold.csv:4")));
}

}  // namespace
}  // namespace sieve::test
