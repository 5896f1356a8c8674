#include "methods/shared/decision.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "support/random_matrices.h"
#include "support/support.h"

namespace sieve::test {
namespace {

Matrix scores_of(std::initializer_list<std::initializer_list<float>> rows) {
  Matrix out(rows.size(), rows.begin()->size());
  std::size_t i = 0;
  for (const auto& row : rows) std::ranges::copy(row, out.row(i++).begin());
  return out;
}

const Matrix kScores = scores_of({{0.9F, 0.1F, 0.5F}, {-1, 3, 1}, {2, 2, 2}});

Decision rule(Decision::Rule kind, double threshold = 0.5, std::size_t top = 1,
              std::vector<float> weights = {}) {
  return {kind, threshold, top, std::move(weights)};
}

TEST(Decision, every_rule_turns_the_right_labels_on) {
  using Rule = Decision::Rule;
  EXPECT_TRUE(rule(Rule::Constant).decide(kScores) == labels_of({"101", "011", "111"}));
  EXPECT_TRUE(rule(Rule::RowMinMax, 0.5).decide(kScores) == labels_of({"101", "011", "000"}));
  EXPECT_TRUE(rule(Rule::Top, 0, 2).decide(kScores) == labels_of({"101", "011", "110"}));
  // cut = first score - 0.4
  EXPECT_TRUE(rule(Rule::Regressed, 0, 1, {1, 0, 0, -0.4F}).decide(kScores) ==
              labels_of({"101", "111", "111"}));
}

TEST(Decision, every_rule_comes_back_from_a_state) {
  for (const auto kind : {Decision::Rule::Constant, Decision::Rule::RowMinMax,
                          Decision::Rule::Regressed, Decision::Rule::Top}) {
    ModelState state;
    state.label_names = {"a", "b", "c"};
    const Decision before = rule(kind, 0.25, 2, {0.5F, 0.25F, 0, -0.5F});
    before.write(state);
    EXPECT_TRUE(Decision::read(state).decide(kScores) == before.decide(kScores));
  }
}

TEST(Decision, what_does_not_fit_is_refused) {
  const auto refused = [](std::optional<DecisionRule> kind, std::vector<float> values) {
    ModelState state;
    state.label_names = {"a", "b", "c"};
    state.choices.decision = kind;
    state.notes["decision"] = "constant";  // to display alone
    state.tensors.push_back({"decision", {values.size()}, values});
    int code = 0;
    refusal([&] { Decision::read(state); }, &code);
    EXPECT_EQ(code, 4) << (kind ? name_of(*kind) : "none");
  };
  refused({}, {1});
  refused(DecisionRule::Constant, {});
  refused(DecisionRule::Constant, {std::nanf("")});
  refused(DecisionRule::RowMinMax, {1, 2});
  refused(DecisionRule::Regressed, {1, 2, 3});
  refused(DecisionRule::Top, {-1});
  refused(DecisionRule::Top, {4});
}

TEST(Decision, a_threshold_that_is_linear_in_the_scores_is_learnt) {
  ThreadPool pool(2);
  Matrix scores(400, 3);
  LabelMatrix right(400, 3);
  const MatrixD noise = random_matrix(400, 3, 5);
  for (std::size_t i = 0; i < 400; ++i) {
    const double level = noise(i, 0);  // every row's scores lie around its own level
    for (std::size_t k = 0; k < 3; ++k) {
      const bool on = noise(i, k) > 0.3;
      scores(i, k) = static_cast<float>(level + (on ? 1 : -1));
      right.set(i, k, on);
    }
    scores(i, 0) = static_cast<float>(level + 1), right.set(i, 0, true);
    scores(i, 2) = static_cast<float>(level - 1), right.set(i, 2, false);
  }
  EXPECT_TRUE(regress_threshold(scores, right, pool).decide(scores) == right);
}

TEST(CandidateConfidence, rises_with_the_evidence_and_is_0_outside_the_candidates) {
  const Matrix out =
      CandidateConfidence{}.of(scores_of({{-5, 0.5F, 0.6F, 9}}), labels_of({"1110"}));
  EXPECT_GT(out(0, 0), 0);
  EXPECT_LT(out(0, 0), 0.01);
  EXPECT_FLOAT_EQ(out(0, 1), 0.5F);
  EXPECT_GT(out(0, 2), 0.5F);
  EXPECT_EQ(out(0, 3), 0);
}

}  // namespace
}  // namespace sieve::test
