// The parts of PARTICLE, each against what it promises.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/random.h"
#include "methods/particle/confidences.h"
#include "methods/particle/pairwise.h"
#include "methods/particle/particle.h"
#include "support/support.h"

namespace sieve {
namespace {

using test::labels_of;

ScaledRows random_rows(std::size_t rows, std::size_t cols, std::uint64_t seed) {
  Matrix x(rows, cols);
  Random random(seed, Purpose::Test);
  for (std::size_t i = 0; i < rows; ++i)
    for (float& value : x.row(i)) value = static_cast<float>(random.uniform(-1, 1));
  return {std::move(x), std::vector<double>(cols)};
}

LabelMatrix random_candidates(std::size_t rows, std::size_t labels, std::uint64_t seed) {
  LabelMatrix out(rows, labels);
  Random random(seed, Purpose::Test, 1);
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t k = 0; k < labels; ++k) out.set(i, k, k == i % labels || random.chance(0.4));
  return out;
}

Mixture mixture_of(const ScaledRows& rows, Self self) {
  ThreadPool pool(2);
  Progress silent;
  return mix_neighbours(rows, 6, self, pool, silent);
}

TEST(ParticleStages, propagation_ends_in_a_fixed_point_inside_the_candidates) {
  const ScaledRows rows = random_rows(60, 5, 1);
  const LabelMatrix candidates = random_candidates(60, 4, 1);
  const Mixture mixture = mixture_of(rows, Self::Excluded);
  ThreadPool pool(2);
  const MatrixD f = propagate(mixture, candidates, 0.9, pool);
  for (std::size_t i = 0; i < 60; ++i) {
    std::vector<double> again(4);
    candidates.for_each(i, [&](std::size_t k) {
      again[k] = 0.1 / static_cast<double>(candidates.count(i));
      for (std::size_t n = 0; n < mixture.neighbours.count; ++n)
        again[k] += 0.9 * mixture.of(i)[n] * f(mixture.neighbours.of(i)[n], k);
    });
    const double sum = std::accumulate(again.begin(), again.end(), 0.0);
    for (std::size_t k = 0; k < 4; ++k) {
      EXPECT_NEAR(f(i, k), again[k] / sum, 1e-4) << i << " " << k;
      if (!candidates.get(i, k)) {
        EXPECT_EQ(f(i, k), 0);
      }
    }
  }
}

TEST(ParticleStages, the_best_candidate_of_every_row_is_credible) {
  ThreadPool pool(1);
  Progress silent;
  const LabelMatrix candidates = random_candidates(50, 4, 2);
  const LabelMatrix credible =
      credible_labels(random_rows(50, 3, 2), candidates, {}, 1, pool, silent);
  EXPECT_EQ(count_outside(credible, candidates), 0U);
  for (std::size_t i = 0; i < 50; ++i) EXPECT_GE(credible.count(i), 1U) << i;
}

TEST(ParticleStages, a_row_that_may_use_itself_rebuilds_itself_and_propagation_stands_still) {
  const ScaledRows rows = random_rows(40, 8, 3);
  const LabelMatrix candidates = random_candidates(40, 4, 3);
  const Mixture mixture = mixture_of(rows, Self::Allowed);
  ThreadPool pool(1);
  const MatrixD f = propagate(mixture, candidates, 0.95, pool), f0 = even_confidences(candidates);
  for (std::size_t i = 0; i < 40; ++i) {
    EXPECT_EQ(mixture.neighbours.of(i)[0], i);
    EXPECT_NEAR(mixture.of(i)[0], 1, 1e-6);
    for (std::size_t k = 0; k < 4; ++k) EXPECT_NEAR(f(i, k), f0(i, k), 1e-4);
  }
}

TEST(ParticleStages, balancing_gives_labels_the_mass_of_the_candidates_and_rows_a_one) {
  const LabelMatrix candidates = labels_of({"110", "011", "111", "000"});
  MatrixD f(4, 3);
  f(0, 0) = 0.8, f(0, 1) = 0.2, f(1, 1) = 0.5, f(1, 2) = 0.5;
  f(2, 0) = 0.2, f(2, 1) = 0.3, f(2, 2) = 0.5;
  balance_labels(f, candidates);
  EXPECT_NEAR(f(0, 0) + f(2, 0), 2, 1e-12);
  EXPECT_NEAR(f(0, 1) + f(1, 1) + f(2, 1), 3, 1e-12);
  stretch_rows(f);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(std::ranges::max(f.row(i)), 1);
  EXPECT_EQ(std::ranges::max(f.row(3)), 0);
}

// With alpha_i = 2 c (1 - margin), the dual value is a lower bound of the primal one.
TEST(ParticleStages, the_classifier_closes_the_duality_gap) {
  const double c = 0.7;
  const ScaledRows rows = random_rows(80, 4, 4);
  std::vector<std::size_t> positive, negative;
  Random random(4, Purpose::Test, 2);
  for (std::size_t i = 0; i < 80; ++i)
    (rows.x.dense()(i, 0) + random.uniform(-1, 1) > 0.3 ? positive : negative).push_back(i);
  const LinearSvm svm = SvmTrainer(rows, c).train(positive, negative);
  double primal = 0, sum = 0, squares = 0, balance = 0;
  std::vector<double> rebuilt(4);
  for (std::size_t i = 0; i < 80; ++i) {
    const double y = std::ranges::find(positive, i) != positive.end() ? 1 : -1;
    double output = svm.bias;
    for (std::size_t j = 0; j < 4; ++j) output += svm.weights[j] * double{rows.x.dense()(i, j)};
    const double missing = std::max(0.0, 1 - y * output), alpha = 2 * c * missing;
    primal += c * missing * missing;
    sum += alpha, squares += alpha * alpha, balance += y * alpha;
    for (std::size_t j = 0; j < 4; ++j) rebuilt[j] += alpha * y * double{rows.x.dense()(i, j)};
  }
  double norm = 0;
  for (std::size_t j = 0; j < 4; ++j) {
    primal += svm.weights[j] * svm.weights[j] / 2;
    norm += rebuilt[j] * rebuilt[j];
  }
  EXPECT_NEAR(balance, 0, 1e-2 * sum);  // the bias is free
  EXPECT_NEAR(sum - norm / 2 - squares / (4 * c), primal, 2e-3 * primal);
}

TEST(ParticleStages, a_pair_learns_from_rows_that_tell_its_labels_apart) {
  const LabelMatrix candidates = labels_of({"110", "101", "011", "100", "010"});
  const LabelMatrix credible = labels_of({"100", "100", "010", "100", "010"});
  const PairRows pair = pair_rows(candidates, credible, 0, 1);
  EXPECT_EQ(pair.positive, (std::vector<std::size_t>{1, 3}));
  EXPECT_EQ(pair.negative, (std::vector<std::size_t>{2, 4}));
  const PairRows alone = virtual_rows(candidates, credible, 1);
  EXPECT_EQ(alone.positive, (std::vector<std::size_t>{2, 4}));
  EXPECT_EQ(alone.negative, (std::vector<std::size_t>{1, 3}));
}

TEST(ParticleStages, a_row_credible_outside_its_candidates_stands_on_neither_side) {
  const PairRows pair = pair_rows(labels_of({"001"}), labels_of({"110"}), 0, 1);
  EXPECT_TRUE(pair.positive.empty() && pair.negative.empty());
}

// Pairs (0,1), (0,2), (1,2), then 0, 1 and 2 against the virtual label.
TEST(ParticleStages, votes_count_with_the_accuracy_of_the_classifier) {
  PairwiseClassifiers three;
  three.labels = 3;
  three.accuracy = {0.9, 0.8, 0, 0.7, 0.6, 0.5};
  const std::vector<double> outputs = {1, -1, 1, 2, -2, 0};
  const std::vector<double> votes = weighted_votes(three, outputs);
  EXPECT_DOUBLE_EQ(votes[0], 0.9 + 0.7);
  EXPECT_DOUBLE_EQ(votes[1], 0);
  EXPECT_DOUBLE_EQ(votes[2], 0.8);
  EXPECT_DOUBLE_EQ(votes[3], 0.6 + 0.5);
  // The third pair has no classifier: half a win each, rounded down.
  EXPECT_EQ(pairwise_wins(three, outputs), (std::vector<std::size_t>{1, 0, 1}));
}

TEST(ParticleStages, the_posterior_follows_from_the_counts) {
  const LabelMatrix candidates = labels_of({"11", "10", "01", "10"});
  const LabelMatrix credible = labels_of({"10", "10", "01", "10"});
  BasicMatrix<std::size_t> wins(4, 2);
  wins(0, 0) = wins(1, 0) = wins(2, 1) = 1;
  const WinCounts counts = count_wins(wins, candidates, credible, 1);
  EXPECT_DOUBLE_EQ(counts.prior[0], 4.0 / 6);
  EXPECT_DOUBLE_EQ(counts.right(0, 1), 3.0 / 5);  // rows 0 and 1 of 0, 1 and 3
  EXPECT_DOUBLE_EQ(counts.wrong(0, 1), 1.0 / 3);  // row 2 won nothing
  const double yes = 4.0 / 6 * 3 / 5, no = 2.0 / 6 / 3;
  EXPECT_DOUBLE_EQ(counts.posterior(0, 1), yes / (yes + no));
}

}  // namespace
}  // namespace sieve
