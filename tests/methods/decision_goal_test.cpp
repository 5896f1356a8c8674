#include "methods/shared/decision_goal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/random.h"
#include "labelsieve/learner.h"
#include "labelsieve/metrics.h"
#include "labelsieve/prepare.h"
#include "support/support.h"

namespace sieve::test {
namespace {

// Probabilities of labels of which few are likely, and labels that follow them.
struct Drawn {
  explicit Drawn(double scale = 1) : right(kRows, 10), labels(kRows, 10) {
    Random random(5, Purpose::Test);
    for (std::size_t i = 0; i < kRows; ++i)
      for (std::size_t k = 0; k < 10; ++k) {
        const double u = random.uniform(0, 1);
        right(i, k) = static_cast<float>(scale * u * u);
        labels.set(i, k, random.chance(double{right(i, k)}));
      }
  }
  static constexpr std::size_t kRows = 1000;
  Matrix right;
  LabelMatrix labels;
};

const std::vector<float> kZeros(10);
const Noisiness kNoNoise{kZeros, kZeros};
constexpr DecisionGoal kGoals[] = {DecisionGoal::Balanced, DecisionGoal::Hamming, DecisionGoal::F1,
                                   DecisionGoal::Cardinality};

TEST(DecisionGoal, f1_is_best_where_it_is_asked_for) {
  const Drawn drawn(0.6);
  const auto f1 = [&](const Decision& decision) {
    return micro_f1(decision.decide(drawn.right), drawn.labels).value;
  };
  const Decision best = decision_for(DecisionGoal::F1, drawn.right, kNoNoise);
  EXPECT_LT(best.threshold, 0.4);
  for (const DecisionGoal other : kGoals)
    EXPECT_GE(f1(best), f1(decision_for(other, drawn.right, kNoNoise)) - 0.01)
        << static_cast<int>(other);
  Decision any;
  for (any.threshold = 0.05; any.threshold < 1; any.threshold += 0.05)
    EXPECT_GE(f1(best), f1(any) - 0.01) << any.threshold;
}

TEST(DecisionGoal, balanced_turns_more_on_than_one_half_at_hardly_more_hamming_loss) {
  const Drawn drawn;
  const LabelMatrix half =
      decision_for(DecisionGoal::Hamming, drawn.right, kNoNoise).decide(drawn.right);
  const LabelMatrix more =
      decision_for(DecisionGoal::Balanced, drawn.right, kNoNoise).decide(drawn.right);
  EXPECT_GT(more.count(), half.count() * 11 / 10);
  EXPECT_LT(hamming_loss(more, drawn.labels).value, 1.04 * hamming_loss(half, drawn.labels).value);
  EXPECT_GT(micro_f1(more, drawn.labels).value, micro_f1(half, drawn.labels).value);
}

TEST(DecisionGoal, cardinality_turns_as_many_on_as_are_right) {
  const Drawn drawn;
  const auto on =
      decision_for(DecisionGoal::Cardinality, drawn.right, kNoNoise).decide(drawn.right).count();
  EXPECT_NEAR(static_cast<double>(on), static_cast<double>(drawn.labels.count()),
              0.03 * static_cast<double>(drawn.labels.count()));
}

TEST(DecisionGoal, is_one_half_without_rows_or_hope) {
  for (const DecisionGoal goal : kGoals) {
    EXPECT_EQ(decision_for(goal, Matrix(), kNoNoise).threshold, 0.5) << static_cast<int>(goal);
    EXPECT_EQ(decision_for(goal, Matrix(3, 2), kNoNoise).threshold, 0.5) << static_cast<int>(goal);
  }
}

TEST(DecisionGoal, takes_probabilities_of_0_and_1) {
  Matrix sure(2, 2);
  sure(0, 0) = sure(1, 1) = 1;
  for (const DecisionGoal goal : kGoals)
    EXPECT_TRUE(decision_for(goal, sure, kNoNoise).decide(sure) == labels_of({"10", "01"}))
        << static_cast<int>(goal);
}

TEST(DecisionGoal, changes_decisions_of_blends_and_forests_but_not_their_scores) {
  ThreadPool pool(1);
  const Dataset data = make_synthetic({.rows = 200, .features = 12, .labels = 8, .noise = 1}, pool);
  for (const char* method : {"blend", "forest"}) {
    const auto fitted = [&](const char* goal) {
      std::map<std::string, std::string> settings{{"trees", "20"}, {"decision", goal}};
      if (method == std::string("blend")) settings.insert({{"width", "8"}, {"epochs", "2"}});
      return make_learner(method, settings)->fit(training_data(data), {});
    };
    const auto half = fitted("hamming"), f1 = fitted("f1");
    const Matrix scores = half->scores(data.features, pool);
    EXPECT_TRUE(std::ranges::equal(scores.row(7), f1->scores(data.features, pool).row(7)));
    EXPECT_TRUE(half->decide(scores) == decide_by_threshold(scores, 0.5)) << method;
    EXPECT_GT(f1->decide(scores).count(), half->decide(scores).count()) << method;
    const auto loaded = method_info(method).load(f1->state());
    EXPECT_TRUE(loaded->decide(scores) == f1->decide(scores)) << method;
  }
}

TEST(DecisionGoal, of_a_blend_without_one_is_one_half) {
  ThreadPool pool(1);
  const Dataset data = make_synthetic({.rows = 60, .features = 6, .labels = 3, .noise = 0.5}, pool);
  const auto model = make_learner("blend", {{"trees", "5"}, {"width", "4"}, {"epochs", "1"}})
                         ->fit(training_data(data), {});
  ModelState state = model->state();  // as earlier versions wrote it
  state.choices.decision.reset();
  std::erase_if(state.tensors, [](const Tensor& tensor) { return tensor.name == "decision"; });
  const Matrix scores = model->scores(data.features, pool);
  EXPECT_TRUE(method_info("blend").load(std::move(state))->decide(scores) ==
              decide_by_threshold(scores, 0.5));
}

}  // namespace
}  // namespace sieve::test
