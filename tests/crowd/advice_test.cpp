#include <gtest/gtest.h>

#include <cmath>

#include "base/random.h"
#include "crowd/simulated_crowd.h"
#include "labelsieve/crowd.h"

namespace sieve {
namespace {

// The crowd again, but annotator 2 ticks label 1 wherever they see label 0.
Votes with_a_confused_annotator(const SimulatedCrowd& crowd) {
  VoteCollector said;
  for (std::size_t row = 0; row < crowd.votes.rows(); ++row)
    for (std::size_t annotation = crowd.votes.first_annotation(row);
         annotation < crowd.votes.first_annotation(row + 1); ++annotation) {
      const std::uint32_t annotator = crowd.votes.annotator(annotation);
      said.annotate(static_cast<std::uint32_t>(row), annotator);
      for (const std::uint32_t l : crowd.votes.ticked(annotation))
        said.tick(static_cast<std::uint32_t>(row), annotator, annotator == 2 && l == 0 ? 1 : l);
    }
  return said.finish(crowd.votes.rows(), names(10));
}

TEST(Advice, names_the_labels_an_annotator_confuses) {
  const Votes votes = with_a_confused_annotator(simulate_crowd({}));
  ThreadPool pool(2);
  const CrowdView view{&votes, 6, nullptr};
  const std::vector<Confusion> pairs = confusions(fit_crowd(view, pool), view, 2);
  ASSERT_FALSE(pairs.empty());
  EXPECT_EQ(pairs[0].right, 0u);
  EXPECT_EQ(pairs[0].ticked, 1u);
  EXPECT_GT(pairs[0].times, 2 * pairs[1].times);
}

TEST(Advice, shows_the_ticks_of_an_annotator_that_are_least_likely_right) {
  const SimulatedCrowd crowd = simulate_crowd({});
  ThreadPool pool(2);
  const CrowdView view{&crowd.votes, 6, &crowd.scores};
  const auto ticks = worst_ticks(fit_crowd(view, pool), view, 4, 20);
  ASSERT_EQ(ticks.size(), 20u);
  double right = 0;
  for (std::size_t k = 0; k < 20; ++k) {
    right += crowd.truth.get(ticks[k].row, ticks[k].label);
    EXPECT_GE(ticks[k].probability, ticks[k == 0 ? 0 : k - 1].probability);
  }
  EXPECT_LE(right, 1);
}

TEST(Advice, asks_where_one_more_look_changes_most) {
  const SimulatedCrowd crowd = simulate_crowd({});
  ThreadPool one(1), three(3);
  const CrowdView view{&crowd.votes, 6, nullptr};
  const CrowdModel model = fit_crowd(view, one);
  const auto cells = ask_next(model, view, AskFor::Cells, 50, one);
  const auto again = ask_next(model, view, AskFor::Cells, 50, three);
  ASSERT_EQ(cells.size(), 50u);
  std::vector<float> probabilities(6);
  for (std::size_t k = 0; k < 50; ++k) {
    EXPECT_EQ(cells[k].row, again[k].row);
    model.probabilities(view, cells[k].row, probabilities);
    EXPECT_NEAR(probabilities[cells[k].label], 0.5, 0.3);  // what is sure need not be asked
    EXPECT_GT(cells[k].gain, 0);
  }
  const auto rows = ask_next(model, view, AskFor::Rows, 5, one);
  ASSERT_EQ(rows.size(), 5u);
  EXPECT_GE(rows[0].gain, cells[0].gain);
  EXPECT_GE(rows[0].gain, rows[4].gain);
}

TEST(Advice, keeps_more_labels_for_f1_than_for_the_fewest_errors) {
  Matrix probabilities(1, 4);
  probabilities(0, 0) = 0.9F;
  probabilities(0, 1) = 0.45F;
  probabilities(0, 2) = 0.4F;
  probabilities(0, 3) = 0.05F;
  EXPECT_EQ(keeping_threshold(probabilities, CleanFor::Hamming), 0.5);
  // Expected F1 of keeping 1, 2, 3 and 4: 2*.9/2.8, 2*1.35/3.8, 2*1.75/4.8, 2*1.8/5.8.
  EXPECT_NEAR(keeping_threshold(probabilities, CleanFor::F1), 1.75 / 4.8, 1e-6);
  EXPECT_EQ(keeping_threshold(Matrix(0, 3), CleanFor::F1), 0);
  LabelMatrix all(probabilities.rows(), probabilities.cols());
  for (std::size_t row = 0; row < probabilities.rows(); ++row)
    for (std::size_t l = 0; l < probabilities.cols(); ++l) all.set(row, l);
  const CandidateScores candidates(probabilities, all.share());
  EXPECT_NEAR(keeping_threshold(candidates, all, CleanFor::F1), 1.75 / 4.8, 1e-6);
  EXPECT_EQ(keeping_threshold(candidates, all, CleanFor::Hamming), 0.5);
}

}  // namespace
}  // namespace sieve
