// Grades of ticks: further evidence for the model of annotators, and for nothing else.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "base/random.h"
#include "crowd/fit_steps.h"
#include "crowd/simulated_crowd.h"
#include "labelsieve/crowd.h"

namespace sieve {
namespace {

constexpr std::size_t kLabels = 3, kRows = 1500, kAnnotators = 6;

struct Graded {
  Votes votes, plain;
  LabelMatrix truth{kRows, kLabels};
};

// Two of six annotators look at each row. Cells are more or less strong, a label is right above a
// line, and annotators see strength with an error of their own. `telling`: grades are how strong
// they saw it; otherwise they are drawn at random.
Graded crowd(bool telling) {
  Graded out;
  VoteCollector said, plain;
  Random random(11, Purpose::Test);
  for (std::uint32_t row = 0; row < kRows; ++row) {
    std::array<double, kLabels> strength;
    for (std::size_t l = 0; l < kLabels; ++l) {
      strength[l] = random.normal();
      out.truth.set(row, l, strength[l] > 0.9);
    }
    const auto first = static_cast<std::uint32_t>(random.below(kAnnotators));
    for (const std::uint32_t who : {first, static_cast<std::uint32_t>((first + 1) % kAnnotators)}) {
      said.annotate(row, who), plain.annotate(row, who);
      for (std::uint32_t l = 0; l < kLabels; ++l) {
        const double seen = strength[l] + 0.6 * random.normal() + 0.1 * who;
        if (seen < 0.5) continue;
        const auto grade = telling ? std::clamp(static_cast<int>((seen - 0.5) / 0.5), 0, 2)
                                   : static_cast<int>(random.below(3));
        said.tick(row, who, l, static_cast<std::uint8_t>(grade)), plain.tick(row, who, l);
      }
    }
  }
  out.votes = said.finish(kRows, names(kAnnotators));
  out.plain = plain.finish(kRows, names(kAnnotators));
  return out;
}

struct Judged {
  double area, calibration, held_out, held_out_error;
};
Judged judged(const Graded& of, const Votes& votes) {
  ThreadPool pool(2);
  const CrowdView view{&votes, kLabels, nullptr};
  const CrowdModel model = fit_crowd(view, pool);
  const Matrix q = crowd_probabilities(model, view, pool);
  const LabelMatrix ticked = votes.any_tick(kLabels);
  const HeldOutCheck check = check_by_held_out_annotators(model, view, pool);
  return {area_among(q, of.truth, ticked), calibration_error(q, of.truth, ticked),
          check.log_likelihood, check.error};
}

TEST(Grades, rank_ticks_better_where_they_tell_how_strong_a_label_is) {
  const Graded all = crowd(true);
  const Judged with = judged(all, all.votes), without = judged(all, all.plain);
  EXPECT_GT(with.area, without.area + 0.03);
  EXPECT_GT(with.held_out, without.held_out) << "they foretell votes of others, too";
  EXPECT_LT(with.held_out_error, 0.02);
}

// An annotator's own grades must not vouch for the annotator's own tick.
TEST(Grades, at_random_change_next_to_nothing) {
  const Graded all = crowd(false);
  const Judged with = judged(all, all.votes), without = judged(all, all.plain);
  EXPECT_NEAR(with.area, without.area, 0.01);
  EXPECT_NEAR(with.calibration, without.calibration, 0.02);
  EXPECT_NEAR(with.held_out, without.held_out, 0.005);
}

TEST(Grades, give_the_same_bits_for_any_number_of_threads) {
  const Graded all = crowd(true);
  ThreadPool one(1), three(3);
  const Matrix a = aggregate(all.votes, kLabels, Aggregation::CrowdModel, one);
  const Matrix b = aggregate(all.votes, kLabels, Aggregation::CrowdModel, three);
  for (std::size_t i = 0; i < a.rows(); ++i)
    for (std::size_t l = 0; l < kLabels; ++l) ASSERT_EQ(a(i, l), b(i, l));
}

TEST(Grades, change_no_way_to_combine_votes_but_the_model) {
  const Graded all = crowd(true);
  ThreadPool pool(2);
  for (const Aggregation how :
       {Aggregation::Share, Aggregation::Majority, Aggregation::OneCoin, Aggregation::TwoCoins}) {
    const Matrix a = aggregate(all.votes, kLabels, how, pool);
    const Matrix b = aggregate(all.plain, kLabels, how, pool);
    for (std::size_t i = 0; i < a.rows(); ++i)
      for (std::size_t l = 0; l < kLabels; ++l) ASSERT_EQ(a(i, l), b(i, l));
  }
}

// Two copies of a graded annotator are still one witness.
TEST(Grades, of_copies_count_once) {
  const Graded all = crowd(true);
  VoteCollector said;
  std::vector<std::uint32_t> same;
  for (std::uint32_t a = 0; a < kAnnotators; ++a) same.push_back(a);
  said.add(all.votes, 0, same);
  for (std::uint32_t copy = 0; copy < 2; ++copy)
    for (std::size_t row = 0; row < kRows; ++row)
      for (std::size_t k = all.votes.first_annotation(row); k < all.votes.first_annotation(row + 1);
           ++k) {
        if (all.votes.annotator(k) != 0) continue;
        const auto at = static_cast<std::uint32_t>(row);
        const auto who = static_cast<std::uint32_t>(kAnnotators + copy);
        said.annotate(at, who);
        const auto ticked = all.votes.ticked(k);
        for (std::size_t i = 0; i < ticked.size(); ++i)
          said.tick(at, who, ticked[i], all.votes.grades(k)[i]);
      }
  const Votes copied = said.finish(kRows, names(kAnnotators + 2));
  EXPECT_NEAR(judged(all, copied).area, judged(all, all.votes).area, 0.01);
}

TEST(Grades, are_answers_to_a_chain_of_questions) {
  VoteCollector said;
  said.tick(0, 0, 0, 2), said.tick(0, 0, 2), said.annotate(0, 1), said.tick(1, 1, 1, 1);
  const Votes votes = said.finish(2, names(2));
  const Votes chain = chain_of_questions(votes, {true, true, true});
  ASSERT_EQ(chain.annotators().size(), 6u);
  // Row 0: what both said; is label 0 or 2 there by a step more (0 is); label 0 by another (yes).
  ASSERT_EQ(chain.annotations(0), 4u);
  EXPECT_EQ(chain.annotator(2), 2u);
  EXPECT_EQ(chain.ticked(2).size(), 1u);
  EXPECT_TRUE(chain.speaks_of(2, 0) && chain.speaks_of(2, 2) && !chain.speaks_of(2, 1));
  EXPECT_EQ(chain.annotator(3), 4u);
  EXPECT_TRUE(chain.speaks_of(3, 0) && !chain.speaks_of(3, 2));
  // Row 1: label 1 is there by a step more, and not by two.
  ASSERT_EQ(chain.annotations(1), 3u);
  EXPECT_EQ(chain.ticked(5).size(), 1u);
  EXPECT_TRUE(chain.speaks_of(6, 1) && chain.ticked(6).empty());
  EXPECT_EQ(annotation_of_answer(chain, votes), (std::vector<std::uint32_t>{0, 1, 0, 0, 2, 2, 2}));
  // Without label 0, there is nothing more to ask of row 0 than whether label 2 is there by a step.
  const Votes fewer = chain_of_questions(votes, {false, true, true});
  ASSERT_EQ(fewer.annotations(0), 3u);
  EXPECT_TRUE(!fewer.speaks_of(2, 0) && fewer.speaks_of(2, 2) && fewer.ticked(2).empty());
}

}  // namespace
}  // namespace sieve
