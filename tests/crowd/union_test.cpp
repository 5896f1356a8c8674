#include <gtest/gtest.h>

#include <cmath>

#include "base/random.h"
#include "crowd/simulated_crowd.h"
#include "labelsieve/crowd.h"
#include "labelsieve/error.h"

namespace sieve {
namespace {

// Labels of very different noise, whose ticks do not depend on the features otherwise.
struct UnionSet {
  LabelMatrix candidates, truth;
  Matrix scores;
  std::vector<double> noise;  // of each label
};

UnionSet make_union(double missing = 0) {
  const CrowdPlan plan{.rows = 3000, .labels = 5, .frequency = 0.2, .sharpness = 2};
  SimulatedCrowd crowd = simulate_crowd(plan);
  UnionSet out{
      LabelMatrix(plan.rows, plan.labels), std::move(crowd.truth), std::move(crowd.scores), {}};
  for (std::size_t l = 0; l < plan.labels; ++l) {
    const double rate = 0.02 * std::pow(2.2, static_cast<double>(l));
    double wrong = 0, all = 0;
    for (std::size_t row = 0; row < plan.rows; ++row) {
      Random random(9, Purpose::Test, l, row);
      const bool right = out.truth.get(row, l);
      if (!random.chance(right ? 1 - missing : rate)) continue;
      out.candidates.set(row, l);
      all += 1;
      wrong += !right;
    }
    out.noise.push_back(wrong / all);
  }
  return out;
}

Matrix probabilities_of(const UnionModel& model, const UnionSet& set) {
  Matrix out(set.candidates.rows(), set.candidates.labels());
  for (std::size_t row = 0; row < out.rows(); ++row)
    model.probabilities(set.candidates, set.scores, row, out.row(row));
  return out;
}

TEST(Union, tells_the_noise_of_each_label) {
  const UnionSet set = make_union();
  ThreadPool pool(2);
  const UnionModel model = fit_union(set.candidates, set.scores, pool);
  double off = 0;
  for (std::size_t l = 0; l < 5; ++l) {
    const UnionLabel& label = model.labels[l];
    off += std::abs(label.noise.value - set.noise[l]) / 5;
    EXPECT_LE(label.noise.low, set.noise[l]);
    EXPECT_GE(label.noise.high, set.noise[l]);
    EXPECT_GE(label.noise_at_most, 0.8);
  }
  EXPECT_LT(off, 0.04);
  EXPECT_LT(calibration_error(probabilities_of(model, set), set.truth, set.candidates), 0.03);
}

TEST(Union, ranks_better_with_a_rate_for_each_label_than_by_scores_alone) {
  const UnionSet set = make_union();
  ThreadPool pool(2);
  const Matrix q = probabilities_of(fit_union(set.candidates, set.scores, pool), set);
  EXPECT_GT(area_among(q, set.truth, set.candidates),
            area_among(set.scores, set.truth, set.candidates) + 0.01);
}

TEST(Union, believes_in_unticked_labels_only_if_some_may_be_missing) {
  const UnionSet set = make_union(0.2);
  ThreadPool pool(2);
  const Matrix none = probabilities_of(fit_union(set.candidates, set.scores, pool), set);
  const Matrix some =
      probabilities_of(fit_union(set.candidates, set.scores, pool, {.missing = 0.2}), set);
  double expected = 0, real = 0;
  for (std::size_t row = 0; row < set.truth.rows(); ++row)
    for (std::size_t l = 0; l < 5; ++l) {
      if (set.candidates.get(row, l)) continue;
      EXPECT_LT(none(row, l), 0.01F);
      expected += static_cast<double>(some(row, l));
      real += set.truth.get(row, l);
    }
  EXPECT_NEAR(expected / real, 1, 0.25);
}

TEST(Union, gold_cells_settle_noise_that_follows_the_features) {
  UnionSet set = make_union();
  // What the features speak for is ticked, and half of it is wrong.
  double wrong = 0, all = 0;
  for (std::size_t row = 0; row < set.truth.rows(); ++row) {
    const bool ticked = set.scores(row, 0) > 0.3F;
    set.candidates.set(row, 0, ticked);
    set.truth.set(row, 0, ticked && row % 2 == 0);
    all += ticked;
    wrong += ticked && row % 2 != 0;
  }
  ThreadPool pool(2);
  const UnionModel blind = fit_union(set.candidates, set.scores, pool);
  EXPECT_LT(blind.labels[0].noise.high, wrong / all);  // as it must, and says
  EXPECT_GT(blind.labels[0].noise_at_most, wrong / all);
  std::vector<GoldCell> gold;
  for (std::uint32_t row = 0; gold.size() < 30; ++row)
    if (set.candidates.get(row, 0)) gold.push_back({row, 0, set.truth.get(row, 0)});
  const UnionModel told = fit_union(set.candidates, set.scores, pool, {}, gold);
  EXPECT_NEAR(told.labels[0].noise.value, wrong / all, 0.12);
  EXPECT_LE(told.labels[0].noise.low, wrong / all);
  EXPECT_GE(told.labels[0].noise_at_most, wrong / all);
}

TEST(Union, doubts_labels_that_most_rows_have) {
  UnionSet set = make_union();
  // Four in five rows have the first label, and what is low in score is hardly less likely right.
  double wrong = 0, all = 0;
  for (std::size_t row = 0; row < set.truth.rows(); ++row) {
    Random random(10, Purpose::Test, 0, row);
    const bool right = random.chance(0.8), ticked = right || random.chance(0.1);
    set.truth.set(row, 0, right);
    set.candidates.set(row, 0, ticked);
    set.scores(row, 0) = static_cast<float>(0.7 + 0.2 * random.uniform() + (right ? 0.05 : 0));
    all += ticked;
    wrong += !right && ticked;
  }
  ThreadPool pool(2);
  const Estimate noise = fit_union(set.candidates, set.scores, pool).labels[0].noise;
  EXPECT_LE(noise.low, wrong / all);
  EXPECT_GE(noise.high, wrong / all);
}

TEST(Union, gives_candidates_their_posterior_and_lists_what_is_missing) {
  const UnionSet set = make_union(0.2);
  ThreadPool pool(2);
  const UnionModel model = fit_union(set.candidates, set.scores, pool, {.missing = 0.2});
  const Matrix q = probabilities_of(model, set);
  const CandidateScores candidate_probabilities =
      union_candidate_probabilities(model, set.candidates, set.scores, pool);
  const auto missing = missing_labels(model, set.candidates, set.scores, pool, 50, 0.3);
  ASSERT_FALSE(missing.empty());
  EXPECT_LE(missing.size(), 50U);
  double right = 0;
  float before = 1;
  for (const CellProbability& cell : missing) {
    EXPECT_FALSE(set.candidates.get(cell.row, cell.label));
    EXPECT_EQ(cell.probability, q(cell.row, cell.label));
    EXPECT_LE(cell.probability, before);
    before = cell.probability;
    right += set.truth.get(cell.row, cell.label);
  }
  EXPECT_GT(right / static_cast<double>(missing.size()), 0.3);
  for (std::size_t row = 0; row < 50; ++row)
    set.candidates.for_each(
        row, [&](std::size_t l) { EXPECT_EQ(candidate_probabilities(row, l), q(row, l)); });
}

TEST(Scores, of_any_size_become_probabilities_in_the_same_order) {
  Matrix scores(4, 2);
  const float odd[] = {-3, 7, 0.5F, 12};
  for (std::size_t row = 0; row < 4; ++row) {
    scores(row, 0) = odd[row];
    scores(row, 1) = 5;  // says nothing
  }
  const Matrix bent = as_probabilities(scores.clone());
  for (std::size_t row = 0; row < 4; ++row) {
    EXPECT_TRUE(bent(row, 0) > 0 && bent(row, 0) < 1);
    EXPECT_EQ(bent(row, 1), 0.5F);
    for (std::size_t other = 0; other < 4; ++other)
      EXPECT_EQ(bent(row, 0) < bent(other, 0), scores(row, 0) < scores(other, 0));
  }
  Matrix inside(1, 2);
  inside(0, 0) = 0.25F, inside(0, 1) = 1;
  EXPECT_EQ(as_probabilities(inside.clone())(0, 0), 0.25F);
}

TEST(Union, takes_labels_that_are_never_or_always_ticked) {
  UnionSet set = make_union();
  for (std::size_t row = 0; row < set.truth.rows(); ++row) {
    set.candidates.set(row, 0, false);
    set.candidates.set(row, 1, true);
    set.scores(row, 2) = 0.5F;  // a predictor that knows nothing
    set.scores(row, 3) = row % 2 == 0 ? 0.0F : 1.0F;
  }
  ThreadPool pool(2);
  const UnionModel model = fit_union(set.candidates, set.scores, pool);
  for (const UnionLabel& label : model.labels)
    for (const double p :
         {label.noise.value, label.noise.low, label.noise.high, label.false_positive_rate.value,
          label.false_positive_rate.low, label.false_positive_rate.high})
      EXPECT_TRUE(p > 0 && p < 1) << p;
  const Matrix q = probabilities_of(model, set);
  for (std::size_t row = 0; row < q.rows(); ++row)
    for (const float p : q.row(row)) EXPECT_TRUE(p > 0 && p < 1) << p;
}

TEST(Union, refuses_what_does_not_fit_together) {
  const UnionSet set = make_union();
  ThreadPool pool(1);
  EXPECT_THROW(fit_union(set.candidates, Matrix(3000, 4), pool), Error);
  EXPECT_THROW(fit_union(set.candidates, set.scores, pool, {.missing = 1}), Error);
  const std::vector<GoldCell> outside = {{0, 5, true}};
  EXPECT_THROW(fit_union(set.candidates, set.scores, pool, {}, outside), Error);
  Matrix broken = set.scores.clone();
  broken(11, 1) = std::nanf("");
  EXPECT_THROW(fit_union(set.candidates, broken, pool), Error);
}

TEST(Union, same_bits_for_any_number_of_threads) {
  const UnionSet set = make_union();
  ThreadPool one(1), three(3);
  const UnionModel a = fit_union(set.candidates, set.scores, one);
  const UnionModel b = fit_union(set.candidates, set.scores, three);
  for (std::size_t l = 0; l < 5; ++l) EXPECT_EQ(a.labels[l].noise.high, b.labels[l].noise.high);
}

}  // namespace
}  // namespace sieve
