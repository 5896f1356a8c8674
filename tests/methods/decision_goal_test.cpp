#include "methods/shared/decision_goal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/random.h"
#include "labelsieve/learner.h"
#include "labelsieve/metrics.h"
#include "labelsieve/prepare.h"
#include "methods/quick_learner.h"
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

// Hardly a label is likelier than not: nearly all of the right ones would be lost.
TEST(DecisionGoal, balanced_keeps_most_of_the_best_f1) {
  const Drawn drawn(0.52);
  const auto f1 = [&](DecisionGoal goal) {
    return micro_f1(decision_for(goal, drawn.right, kNoNoise).decide(drawn.right), drawn.labels)
        .value;
  };
  EXPECT_LT(f1(DecisionGoal::Hamming), 0.3 * f1(DecisionGoal::F1));
  EXPECT_GT(f1(DecisionGoal::Balanced), 0.75 * f1(DecisionGoal::F1));
}

// Plain training predicts what is likelier a candidate than not. Where that is less careful, there
// is no need to lose right labels beside it.
TEST(DecisionGoal, balanced_keeps_more_of_the_best_f1_where_plain_training_is_far_less_careful) {
  const Drawn drawn(0.52);
  const std::vector<float> rates(10, 0.6F), feared(10, 0.65F);
  const Noisiness noise{rates, feared};
  const LabelMatrix careful =
      decision_for(DecisionGoal::Balanced, drawn.right, noise).decide(drawn.right);
  const LabelMatrix best = decision_for(DecisionGoal::F1, drawn.right, noise).decide(drawn.right);
  const LabelMatrix plain = Decision{.threshold = 0}.decide(drawn.right);
  EXPECT_GT(micro_f1(careful, drawn.labels).value, 0.8 * micro_f1(best, drawn.labels).value);
  EXPECT_LT(hamming_loss(careful, drawn.labels).value, hamming_loss(plain, drawn.labels).value);
}

// Few rows: a little more Hamming loss for right labels, where plain training loses twice as much.
TEST(DecisionGoal, balanced_gives_more_for_right_labels_of_few_rows_that_are_noisy) {
  const Drawn drawn;
  const std::vector<float> rates(10, 0.6F);
  const auto on = [&](std::size_t rows) {
    Matrix right(rows, 10);
    for (std::size_t i = 0; i < rows; ++i)
      std::ranges::copy(drawn.right.row(i % Drawn::kRows), right.row(i).begin());
    return decision_for(DecisionGoal::Balanced, right, {rates, rates});
  };
  EXPECT_LT(on(1000).threshold, on(2000).threshold - 0.02);
  const LabelMatrix few = on(1000).decide(drawn.right), many = on(2000).decide(drawn.right);
  EXPECT_GT(micro_f1(few, drawn.labels).value, micro_f1(many, drawn.labels).value);
  EXPECT_LT(hamming_loss(few, drawn.labels).value,
            1.09 * hamming_loss(Decision{}.decide(drawn.right), drawn.labels).value);
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

// Of every method that has a rule of its own.
class DecisionOfMethod : public ::testing::TestWithParam<std::string> {
 protected:
  static std::unique_ptr<Learner> learner(const std::string& goal) {
    const MethodInfo& method = method_info(GetParam());
    Options options(method.options);
    for (const auto& [key, value] : {std::pair{"members", "2"}, {"width", "8"}, {"epochs", "3"}})
      if (options.values().contains(key)) options.set(key, value);
    options.set("decision", goal);
    return method.make(options);
  }
  static Dataset crowd() {
    ThreadPool pool(1);
    return make_synthetic({.rows = 120, .features = 10, .labels = 6, .noise = 1}, pool);
  }
};

TEST_P(DecisionOfMethod, can_be_learnt_and_kept_with_the_model) {
  ThreadPool pool(1);
  const Dataset data = crowd();
  const TrainingData train = training_data(data);
  const auto own = learner("own")->fit(train, {});
  EXPECT_FALSE(own->state().options.contains("decision"));
  const Matrix scores = own->scores(data.features, pool);
  std::size_t most = 0;
  for (const char* goal : {"hamming", "balanced", "f1", "cardinality"}) {
    const auto model = learner(goal)->fit(train, {});
    EXPECT_TRUE(std::ranges::equal(scores.row(3), model->scores(data.features, pool).row(3)));
    EXPECT_EQ(model->state().options.at("decision"), goal);
    const LabelMatrix on = model->decide(scores);
    EXPECT_TRUE(method_info(GetParam()).load(model->state())->decide(scores) == on) << goal;
    if (goal == std::string("hamming")) most = on.count();
    if (goal == std::string("f1")) {
      EXPECT_GE(on.count(), most);
    }
  }
}

TEST_P(DecisionOfMethod, is_refused_in_words_where_it_cannot_be_learnt) {
  const TrainingData few = training_data(crowd().select_rows(std::vector<std::size_t>{0, 1, 2}));
  int code = 0;
  const std::string message = refusal([&] { learner("f1")->fit(few, {}); }, &code);
  EXPECT_EQ(code, 3);
  EXPECT_THAT(message, ::testing::HasSubstr("decision=f1 cannot be learnt from 3 rows"));
  EXPECT_THAT(message, ::testing::HasSubstr("decision=own"));
}

std::vector<std::string> methods_with_own_rules() {
  std::vector<std::string> names;
  for (const MethodInfo& method : all_methods())
    if (method.name != "blend" && method.name != "forest") names.push_back(method.name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(Methods, DecisionOfMethod, ::testing::ValuesIn(methods_with_own_rules()),
                         test_name);

TEST(DecisionGoal, of_blends_and_forests_says_where_it_could_not_be_learnt) {
  ThreadPool pool(1);
  const Dataset data = make_synthetic({.rows = 4, .features = 6, .labels = 3, .noise = 0.5}, pool);
  const auto note = [&](const char* method, std::map<std::string, std::string> settings) {
    const auto model = make_learner(method, settings)->fit(training_data(data), {});
    const auto found = model->state().notes.find("threshold");
    return found != model->state().notes.end() ? found->second : "";
  };
  EXPECT_THAT(note("blend", {{"trees", "5"}, {"width", "4"}, {"epochs", "1"}}),
              ::testing::HasSubstr("1/2"));
  EXPECT_THAT(note("forest", {{"trees", "5"}, {"bootstrap", "false"}}),
              ::testing::HasSubstr("no row was held out"));
  EXPECT_EQ(note("forest", {{"trees", "5"}, {"bootstrap", "false"}, {"decision", "hamming"}}), "");
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
