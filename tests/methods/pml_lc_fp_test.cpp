#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/random.h"
#include "labelsieve/metrics.h"
#include "labelsieve/prepare.h"
#include "methods/pml_lc_fp/alternation.h"
#include "methods/quick_learner.h"

namespace sieve {
namespace {

using ::testing::Each;
using ::testing::Ge;

struct Problem {
  ScaledRows rows;
  CandidateLists lists;
  std::vector<double> confidence;  // random, one per candidate
};

Problem make(std::size_t rows, bool sparse) {
  ThreadPool pool(1);
  const Dataset data = make_synthetic({.rows = rows, .features = 12, .labels = 6}, pool);
  const Features x = sparse ? Features(data.features.to_sparse()) : data.features;
  Problem out{scaled_rows(x, fit_centred_scaler(x)), CandidateLists(data.candidates), {}};
  Random random(3, Purpose::Test);
  for (std::size_t c = 0; c < out.lists.all.size(); ++c) out.confidence.push_back(random.uniform());
  return out;
}

double primal(const Problem& problem, const PairRanker& ranker) {
  double sum = ranker.squared_norm();
  std::vector<double> scores(ranker.padded_labels());
  for (std::size_t i = 0; i < problem.lists.rows(); ++i) {
    ranker.scores(i, scores);
    std::vector<double> p(problem.lists.labels);
    for (std::size_t c = 0; c < problem.lists.count(i); ++c)
      p[problem.lists.of(i)[c]] = problem.lists.part(problem.confidence, i)[c];
    for (std::size_t k = 0; k < p.size(); ++k)
      for (std::size_t l = 0; l < p.size(); ++l)
        if (p[k] > p[l])
          sum += problem.lists.pair_weight(i) * (p[k] - p[l]) *
                 std::max(0.0, 1 - scores[k] + scores[l]);
  }
  return sum;
}

TEST(PairRanker, closes_the_duality_gap) {
  for (const bool sparse : {false, true}) {
    const Problem problem = make(40, sparse);
    PairRanker ranker(problem.rows, problem.lists, 1, 5);
    for (int pass = 0; pass < 3000; ++pass) ranker.pass(problem.confidence);
    const double value = primal(problem, ranker);
    EXPECT_NEAR(ranker.dual_objective(), value, 1e-5 * value) << sparse;
    EXPECT_LT(value, primal(problem, PairRanker(problem.rows, problem.lists, 1, 5)));
  }
}

// A pair inside its bounds has margin 1, one at 0 at least 1, one at its upper bound at most 1.
TEST(PairRanker, every_pair_meets_its_optimality_condition) {
  const Problem problem = make(30, false);
  PairRanker ranker(problem.rows, problem.lists, 1, 5);
  for (int pass = 0; pass < 5000; ++pass) ranker.pass(problem.confidence);
  std::vector<double> scores(ranker.padded_labels());
  std::size_t inside = 0;
  for (std::size_t i = 0; i < problem.lists.rows(); ++i) {
    ranker.scores(i, scores);
    const std::span<const std::uint32_t> candidates = problem.lists.of(i);
    const std::span<const double> p = problem.lists.part(problem.confidence, i);
    for (std::size_t c = 0; c < candidates.size(); ++c)
      for (std::size_t l = 0; l < problem.lists.labels; ++l) {
        const auto other = std::ranges::find(candidates, l);
        const double below =
            other == candidates.end() ? 0 : p[static_cast<std::size_t>(other - candidates.begin())];
        const double most = problem.lists.pair_weight(i) * std::max(0.0, p[c] - below);
        const double dual = ranker.duals(i)[c * problem.lists.labels + l];
        ASSERT_GE(dual, 0);
        ASSERT_LE(dual, most);
        if (most == 0) continue;
        const double margin = scores[candidates[c]] - scores[l];
        EXPECT_TRUE(dual == most || margin >= 1 - 1e-4) << margin;
        EXPECT_TRUE(dual == 0 || margin <= 1 + 1e-4) << margin;
        inside += dual > 0 && dual < most ? 1 : 0;
      }
  }
  EXPECT_GT(inside, 0U);
}

TEST(PairRanker, its_weights_are_the_sum_of_its_dual_variables) {
  const Problem problem = make(30, true);
  PairRanker ranker(problem.rows, problem.lists, 1, 5);
  for (int pass = 0; pass < 5; ++pass) ranker.pass(problem.confidence);
  MatrixD sum(problem.rows.shift.size() + 1, problem.lists.labels);
  std::vector<float> stored(problem.rows.shift.size());
  for (std::size_t i = 0; i < problem.lists.rows(); ++i) {
    problem.rows.x.copy_row(i, stored);
    for (std::size_t c = 0; c < problem.lists.count(i); ++c)
      for (std::size_t l = 0; l < problem.lists.labels; ++l) {
        const double half = ranker.duals(i)[c * problem.lists.labels + l] / 2;
        const std::size_t k = problem.lists.of(i)[c];
        for (std::size_t j = 0; j < sum.rows(); ++j) {
          const double x = j < stored.size() ? double{stored[j]} + problem.rows.shift[j] : 1;
          sum(j, k) += half * x;
          sum(j, l) -= half * x;
        }
      }
  }
  const MatrixD weights = ranker.weights();
  for (std::size_t k = 0; k < problem.lists.labels; ++k) {
    for (std::size_t j = 0; j < weights.rows(); ++j) EXPECT_NEAR(weights(j, k), sum(j, k), 1e-10);
    EXPECT_NEAR(ranker.bias()[k], sum(weights.rows(), k), 1e-10);
  }
}

TEST(PairRanker, a_later_pass_makes_old_variables_fit_new_confidences) {
  Problem problem = make(30, false);
  PairRanker ranker(problem.rows, problem.lists, 1, 5);
  for (int pass = 0; pass < 20; ++pass) ranker.pass(problem.confidence);
  std::ranges::reverse(problem.confidence);
  for (int pass = 0; pass < 3000; ++pass) ranker.pass(problem.confidence);
  const double value = primal(problem, ranker);
  EXPECT_NEAR(ranker.dual_objective(), value, 1e-5 * value);
}

ConfidenceTerms terms_of(const Problem& problem, const std::string& method, double weight) {
  ConfidenceTerms terms;
  if (method == "pml-fp") {
    terms.charge.assign(problem.lists.all.size(), 0);
    Random random(4, Purpose::Test);
    for (double& charge : terms.charge) charge = weight * random.uniform(1, 2);
  } else {
    terms.correlation = weight;
    terms.similarity = label_similarity(problem.lists);
  }
  return terms;
}

TEST(Alternation, the_objective_never_rises) {
  const Problem problem = make(80, false);
  for (const char* method : {"pml-lc", "pml-fp"})
    for (const double weight : {0.001, 0.01, 0.1, 1.0})
      for (const std::size_t passes : {1U, 50U}) {
        FitRun run({});
        const AlternationResult result =
            alternate(problem.rows, problem.lists, terms_of(problem, method, weight),
                      {.rounds = 15, .tolerance = 0, .passes = passes}, run);
        ASSERT_GE(result.objective.size(), 2U);
        for (std::size_t t = 1; t < result.objective.size(); ++t)
          EXPECT_LE(result.objective[t], result.objective[t - 1] + 1e-9) << method << weight;
      }
}

TEST(ConfidenceStep, never_makes_a_row_worse_and_keeps_confidences_allowed) {
  Problem problem = make(80, false);
  Random random(6, Purpose::Test);
  for (const char* method : {"pml-lc", "pml-fp"})
    for (const double weight : {0.001, 0.1, 1.0, 10.0}) {
      const ConfidenceTerms terms = terms_of(problem, method, weight);
      ConfidenceStep step(problem.lists, terms);
      for (std::size_t i = 0; i < problem.lists.rows(); ++i) {
        std::vector<double> scores(problem.lists.labels);
        for (double& score : scores) score = random.normal();
        std::vector<double> p(problem.lists.count(i), 1);
        const auto change = step.improve(i, scores, p);
        EXPECT_LE(change.after, change.before);
        EXPECT_THAT(p, Each(Ge(0)));
        EXPECT_LE(*std::ranges::max_element(p), 1);
        EXPECT_GE(std::accumulate(p.begin(), p.end(), 0.0), 1 - 1e-9);
        // What was reached is stationary: another call finds nothing worth while.
        const auto again = step.improve(i, scores, p);
        EXPECT_NEAR(again.before, change.after, 1e-9);
        EXPECT_TRUE(terms.correlation > 0 || again.before - again.after < 1e-9);
      }
    }
}

TEST(LabelSimilarity, is_the_share_of_rows_two_labels_have_in_common) {
  LabelMatrix labels(4, 3);
  for (const auto& [row, label] : {std::pair{0U, 0U}, {0U, 1U}, {1U, 0U}, {2U, 1U}, {3U, 1U}})
    labels.set(row, label);
  const MatrixD similarity = label_similarity(CandidateLists(labels));
  EXPECT_DOUBLE_EQ(similarity(0, 1), 1.0 / 4);
  EXPECT_DOUBLE_EQ(similarity(1, 0), 1.0 / 4);
  EXPECT_EQ(similarity(0, 0), 0);
  EXPECT_EQ(similarity(0, 2), 0);
}

class PmlLcFp : public ::testing::TestWithParam<std::string> {};

TEST_P(PmlLcFp, sparse_and_dense_copies_of_the_same_rows_give_the_same_model) {
  ThreadPool pool(1);
  Dataset data = make_synthetic({.rows = 150, .features = 15, .labels = 6}, pool);
  const auto dense = test::quick_learner(method_info(GetParam()))->fit(training_data(data), {});
  const Matrix expected = dense->scores(data.features, pool);
  data.features = data.features.to_sparse();
  const auto sparse = test::quick_learner(method_info(GetParam()))->fit(training_data(data), {});
  const Matrix scores = sparse->scores(data.features, pool);
  for (std::size_t i = 0; i < scores.rows(); ++i)
    for (std::size_t k = 0; k < scores.cols(); ++k) EXPECT_NEAR(scores(i, k), expected(i, k), 1e-3);
}

TEST_P(PmlLcFp, ranks_right_labels_above_noise) {
  ThreadPool pool(1);
  const Dataset data = make_synthetic({.rows = 400, .features = 20, .labels = 6}, pool);
  const auto model = test::quick_learner(method_info(GetParam()))->fit(training_data(data), {});
  const Matrix confidence = model->candidate_probabilities(training_data(data), pool);
  EXPECT_GT(cleaning_auc(confidence, data.candidates, *data.truth).value, 0.7);
}

TEST_P(PmlLcFp, repeated_rows_get_the_same_scores_and_confidences) {
  ThreadPool pool(1);
  const Dataset data = make_synthetic({.rows = 30, .features = 8, .labels = 6}, pool);
  std::vector<std::size_t> rows(90);
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = i % 30;
  const TrainingData repeated = training_data(data.select_rows(rows));
  const auto model = test::quick_learner(method_info(GetParam()))->fit(repeated, {});
  const Matrix scores = model->scores(repeated.features, pool);
  const Matrix confidence = model->candidate_probabilities(repeated, pool);
  for (std::size_t i = 30; i < rows.size(); ++i) {
    EXPECT_TRUE(std::ranges::equal(scores.row(i), scores.row(i - 30)));
    EXPECT_TRUE(std::ranges::equal(confidence.row(i), confidence.row(i - 30)));
  }
  for (const float score : scores.row(0)) EXPECT_TRUE(std::isfinite(score));
}

TEST_P(PmlLcFp, turns_on_the_same_number_of_labels_on_every_row) {
  ThreadPool pool(1);
  const Dataset data = make_synthetic({.rows = 100, .features = 10, .labels = 6}, pool);
  const auto model = test::quick_learner(method_info(GetParam()))->fit(training_data(data), {});
  const LabelMatrix on = model->decide(model->scores(data.features, pool));
  const auto count = static_cast<std::size_t>(model->state().tensor("decision").values[0]);
  EXPECT_GE(count, 1U);
  EXPECT_LE(static_cast<double>(count) * 100, static_cast<double>(data.candidates.count()) + 50);
  for (std::size_t i = 0; i < on.rows(); ++i) EXPECT_EQ(on.count(i), count);
}

INSTANTIATE_TEST_SUITE_P(Methods, PmlLcFp, ::testing::Values("pml-lc", "pml-fp"), test::test_name);

}  // namespace
}  // namespace sieve
