#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <string>

#include "base/random.h"
#include "labelsieve/learner.h"
#include "labelsieve/metrics.h"
#include "labelsieve/model_io.h"
#include "labelsieve/predict.h"
#include "labelsieve/prepare.h"
#include "methods/blend/label_mix.h"
#include "methods/blend/weights.h"
#include "methods/network/member.h"
#include "methods/network/network_model.h"
#include "methods/shared/out_of_fold.h"
#include "support/support.h"

namespace sieve::test {
namespace {

using ::testing::HasSubstr;

Dataset crowd(std::size_t rows = 150) {
  ThreadPool pool(1);
  return make_synthetic({.rows = rows, .features = 12, .labels = 5}, pool);
}

std::unique_ptr<Learner> quick_blend(const std::string& budget = "normal") {
  return make_learner("blend",
                      {{"trees", "20"}, {"width", "8"}, {"epochs", "2"}, {"budget", budget}});
}

// Candidates that follow `chance`, and parts that know it more or less exactly.
struct Judged {
  Judged(std::size_t rows, std::initializer_list<double> errors)
      : candidates(rows, kLabels), rate(kLabels, kRate) {
    Random random(3, Purpose::Test);
    Matrix chance(rows, kLabels);
    for (std::size_t i = 0; i < rows; ++i)
      for (std::size_t k = 0; k < kLabels; ++k) {
        chance(i, k) = random.chance(0.4) ? 0.9F : 0.1F;
        candidates.set(i, k, random.chance(double{chance(i, k)}) || random.chance(kRate));
      }
    for (const double error : errors) {
      Matrix& said = parts.emplace_back(rows, kLabels);
      for (std::size_t i = 0; i < rows; ++i)
        for (std::size_t k = 0; k < kLabels; ++k)
          said(i, k) = random.chance(error) ? 1 - chance(i, k) : chance(i, k);
    }
  }

  std::vector<float> weights(std::size_t threads = 1) const {
    ThreadPool pool(threads);
    std::vector<Judgement> judgements;
    for (const Matrix& part : parts) judgements.push_back({&part, rate});
    return learn_weights(judgements, candidates, pool);
  }

  static constexpr std::size_t kLabels = 4;
  static constexpr float kRate = 0.2F;
  LabelMatrix candidates;
  std::vector<float> rate;
  std::vector<Matrix> parts;
};

TEST(BlendWeights, add_up_to_one_and_favour_the_part_that_knows_more) {
  const std::vector<float> weights = Judged(2000, {0.05, 0.2}).weights();
  EXPECT_NEAR(weights[0] + weights[1], 1, 1e-6);
  EXPECT_GT(weights[0], 0.6F);
}

TEST(BlendWeights, stay_near_equal_where_few_rows_can_tell) {
  EXPECT_NEAR(Judged(10, {0.05, 0.2}).weights()[0], 0.5, 0.05);
}

TEST(BlendWeights, are_nothing_for_a_part_that_does_harm) {
  const std::vector<float> weights = Judged(2000, {0.1, 0.5, 0.1}).weights();
  EXPECT_EQ(weights[1], 0);
  EXPECT_NEAR(weights[0], 0.5, 0.1);
  EXPECT_NEAR(weights[2], 0.5, 0.1);
}

TEST(BlendWeights, are_the_same_for_any_number_of_threads_and_learnt_from_some_of_very_many_rows) {
  const Judged many(45000, {0.05, 0.2, 0.1});
  EXPECT_EQ(many.weights(1), many.weights(3));
  EXPECT_GT(many.weights()[0], 0.5F);
}

TEST(BlendWeights, survive_probabilities_of_0_and_1) {
  Judged sure(50, {0.1, 0.1});
  for (float& right : sure.parts[0].row(0)) right = 0;
  for (float& right : sure.parts[0].row(1)) right = 1;
  const std::vector<float> weights = sure.weights();
  EXPECT_NEAR(weights[0] + weights[1], 1, 1e-6);
}

// Label 0 is known well, label 1 is right wherever label 0 is but nothing tells so.
struct Alike {
  explicit Alike(std::size_t rows, std::size_t labels = 3)
      : odds(rows, labels), candidates(rows, labels), rate(labels, 0.2F) {
    Random random(4, Purpose::Test);
    for (std::size_t i = 0; i < rows; ++i) {
      const bool right = random.chance(0.4);
      for (std::size_t k = 0; k < labels; ++k) {
        odds(i, k) = k == 1 ? 0.0F : (right ? 2.0F : -2.0F);
        candidates.set(i, k, right || random.chance(0.2));
      }
    }
  }
  LabelMix mix(std::size_t threads = 1) const {
    ThreadPool pool(threads);
    return learn_label_mix(odds, rate, candidates, pool);
  }
  Matrix odds;
  LabelMatrix candidates;
  std::vector<float> rate;
};

TEST(LabelMix, lets_a_label_speak_for_another) {
  const Alike alike(2000);
  Matrix mixed = alike.odds.clone();
  ThreadPool pool(2);
  apply(alike.mix(), pool, mixed);
  for (std::size_t i = 0; i < mixed.rows(); ++i)
    EXPECT_EQ(mixed(i, 1) > 0, alike.odds(i, 0) > 0) << i;
}

TEST(LabelMix, changes_little_where_few_rows_can_tell) {
  const LabelMix mix = Alike(10).mix();
  for (const float across : mix.across.row(0)) EXPECT_LT(std::abs(across), 0.05F);
}

TEST(LabelMix, is_the_same_for_any_number_of_threads) {
  const Alike alike(25000);
  EXPECT_EQ(alike.mix(1).offset, alike.mix(3).offset);
}

TEST(LabelMix, leaves_labels_apart_where_they_are_very_many) {
  const LabelMix mix = Alike(50, 130).mix();
  for (std::size_t j = 0; j < 130; ++j)
    for (std::size_t k = 0; k < 130; ++k) EXPECT_TRUE(j == k || mix.across(j, k) == 0);
}

TEST(Networks, with_a_member_for_each_fold_judge_each_row_by_the_one_that_held_it_out) {
  const Dataset data = crowd();
  ThreadPool pool(2);
  const auto five = make_learner("mlp-noise", {{"members", "5"}, {"width", "8"}, {"epochs", "3"}});
  const auto model = five->fit(training_data(data), {});
  const auto* networks = dynamic_cast<const NetworkModel*>(model.get());
  ASSERT_NE(networks, nullptr);
  ASSERT_NE(networks->held_out_scores(), nullptr);
  for (std::size_t fold = 0; fold < kHeldOutFolds; ++fold) {
    const Matrix scores = networks->member_scores(fold, data.features, pool);
    for (const std::size_t i : hold_out(data.rows(), fold).test)
      EXPECT_TRUE(std::ranges::equal(networks->held_out_scores()->row(i), scores.row(i))) << i;
  }
  const auto two = make_learner("mlp-noise", {{"members", "2"}, {"width", "8"}, {"epochs", "2"}});
  EXPECT_EQ(held_out_scores_of(*two->fit(training_data(data), {})), nullptr);
  EXPECT_EQ(five->fit_out_of_fold(training_data(data), 3, {}).folds, 0U);
  EXPECT_EQ(two->fit_out_of_fold(training_data(data), 3, {}).folds, 3U);
}

// Labels that features tell well (or hardly), with or without wrong ones among the candidates.
Dataset told(double power, double noise) {
  Random random(6, Purpose::Test);
  constexpr std::size_t kRows = 400, kFeatures = 6;
  Dataset data;
  Matrix x(kRows, kFeatures);
  LabelMatrix truth(kRows, kFeatures);
  data.candidates = LabelMatrix(kRows, kFeatures);
  for (std::size_t i = 0; i < kRows; ++i)
    for (std::size_t k = 0; k < kFeatures; ++k) {
      x(i, k) = static_cast<float>(random.normal());
      const bool right = random.chance(1 / (1 + std::exp(1 - power * double{x(i, k)})));
      truth.set(i, k, right);
      data.candidates.set(i, k, right || random.chance(noise));
    }
  data.features = Features(std::move(x));
  data.truth = std::move(truth);
  for (std::size_t k = 0; k < kFeatures; ++k) data.label_names.push_back("l" + std::to_string(k));
  return data;
}

TEST(Blend, says_what_was_kept_and_what_was_not_tried) {
  const auto learner = make_learner("blend", {{"trees", "20"}, {"width", "64"}, {"epochs", "60"}});
  const auto model = learner->fit(training_data(told(4, 0.2)), {});
  const std::string kept = model->state().notes.at("kept");
  for (const char* part : {"networks 0.", "forest (extra) 0.", "forest (best) 0."})
    EXPECT_THAT(kept, HasSubstr(part));
  EXPECT_THAT(kept, HasSubstr("; the game was not tried"));
}

// How far each part of a fit has come, of a million, by the name of the part.
class Reaches final : public Progress {
 public:
  void begin(std::string_view stage, std::size_t) override {
    stage_ = std::string(stage.substr(0, stage.find(',')));
  }
  void update(std::size_t done, std::string_view) override { until[stage_] = done; }
  std::map<std::string, std::size_t> until;

 private:
  std::string stage_;
};

TEST(Blend, moves_on_while_each_of_its_parts_is_learnt) {
  Reaches progress;
  FitOptions fit;
  fit.progress = &progress;
  make_learner("blend", {{"trees", "5"}, {"width", "4"}, {"epochs", "1"}})
      ->fit(training_data(told(4, 0.2)), fit);
  EXPECT_GT(progress.until["forest (extra)"], 100'000U);
  EXPECT_GT(progress.until["forest (best)"], progress.until["forest (extra)"] + 200'000);
  EXPECT_GT(progress.until["networks"], progress.until["forest (best)"] + 200'000);
}

TEST(Blend, takes_no_label_for_noise_where_there_is_none) {
  ThreadPool pool(1);
  for (const double power : {4.0, 0.5}) {  // weak features are no noise either
    const Dataset data = told(power, 0);
    const auto learner = make_learner("blend", {{"trees", "200"}, {"width", "16"}});
    const OutOfFold judged = learner->fit_out_of_fold(training_data(data), 5, {});
    EXPECT_THAT(judged.model->state().tensor("candidate_rate").values, ::testing::Each(0.0F));
    double expected = 0;
    for (std::size_t i = 0; i < data.rows(); ++i)
      for (const float f : judged.scores.row(i)) expected += double{f};
    const auto count = static_cast<double>(data.candidates.count());
    EXPECT_NEAR(expected, count, 0.05 * count) << power;  // probabilities add up
    const std::vector<double> noise = estimated_noise(judged.probabilities, data.candidates);
    for (const double share : noise) EXPECT_LT(share, 0.1) << power;
  }
}

TEST(Blend, finds_noise_where_there_is_some) {
  const auto learner = make_learner("blend", {{"trees", "40"}, {"width", "16"}});
  const auto model = learner->fit(training_data(told(4, 0.4)), {});
  for (const float rate : model->state().tensor("candidate_rate").values)
    EXPECT_NEAR(rate, 0.4F, 0.12F);
}

TEST(Blend, tries_the_game_where_the_budget_is_thorough) {
  const auto noisy = quick_blend("thorough")->fit(training_data(told(4, 0.4)), {});
  EXPECT_THAT(noisy->state().notes.at("kept"), HasSubstr("the game "));
  EXPECT_THAT(noisy->state().notes.at("kept"), ::testing::Not(HasSubstr("not tried")));
  EXPECT_THAT(noisy->state().notes.at("kept"), ::testing::Not(HasSubstr("left out")));
  const auto clean = quick_blend("thorough")->fit(training_data(told(4, 0)), {});
  EXPECT_THAT(clean->state().notes.at("kept"), HasSubstr("left out, no noise was found"));
}

TEST(Blend, cleans_by_one_fit_and_with_folds_where_rows_are_too_few_to_hold_any_out) {
  const TrainingData data = training_data(crowd());
  const CandidateScores judged = quick_blend()->fit_out_of_fold(data, 3, {}).probabilities;
  const auto model = quick_blend()->fit(data, {});
  const Matrix out_of_fold =
      dynamic_cast<const OutOfFoldModel&>(*model).held_out_probabilities(data.candidates);
  for (std::size_t i = 0; i < data.rows(); ++i)
    data.candidates.for_each(i, [&](std::size_t k) { EXPECT_EQ(judged(i, k), out_of_fold(i, k)); });

  const TrainingData few = training_data(crowd(4));
  EXPECT_EQ(held_out_scores_of(*quick_blend()->fit(few, {})), nullptr);
  EXPECT_EQ(quick_blend()->fit_out_of_fold(few, 2, {}).folds, 2U);
}

// A row's own candidates must not speak for themselves: with labels by chance alone, candidates of
// unseen rows are not told from the others.
TEST(Blend, judges_no_row_by_what_has_seen_it) {
  Dataset data = crowd(300);
  Random random(9, Purpose::Test);
  for (std::size_t i = 0; i < data.rows(); ++i)
    for (std::size_t k = 0; k < data.labels(); ++k) data.candidates.set(i, k, random.chance(0.5));
  const auto model = make_learner("blend", {{"trees", "100"}, {"width", "32"}, {"epochs", "10"}})
                         ->fit(training_data(data), {});
  const Matrix& out_of_fold = *held_out_scores_of(*model);
  double ticked = 0, others = 0;
  for (std::size_t i = 0; i < data.rows(); ++i)
    for (std::size_t k = 0; k < data.labels(); ++k)
      (data.candidates.get(i, k) ? ticked : others) += double{out_of_fold(i, k)};
  ticked /= static_cast<double>(data.candidates.count());
  others /= static_cast<double>(data.rows() * data.labels() - data.candidates.count());
  EXPECT_LT(ticked - others, 0.02);
}

// Stops whenever a stage of that name has made a step.
class StopsAt final : public Progress, public CheckpointSink {
 public:
  explicit StopsAt(std::string stage) : stage_(std::move(stage)) {}
  void begin(std::string_view stage, std::size_t) override { there_ = stage.starts_with(stage_); }
  bool stop_requested() const override { return there_; }
  bool due() const override { return false; }
  void save(const ModelState& state) override {
    bytes = encode_state(state, StateKind::Checkpoint);
  }
  std::string bytes;

 private:
  std::string stage_;
  bool there_ = false;
};

// The model of a training that is stopped by each step of a stage.
std::string bytes_with_stops(const Learner& blend, const TrainingData& data,
                             const std::string& stage) {
  std::string checkpoint;
  for (int stops = 0; stops < 200; ++stops) {
    StopsAt stop(stage);
    FitOptions fit;
    fit.progress = &stop;
    fit.checkpoints = &stop;
    ModelState unfinished;
    if (!checkpoint.empty()) {
      unfinished = decode_state(checkpoint, StateKind::Checkpoint, "memory");
      fit.resume_from = &unfinished;
    }
    int code = 0;
    std::unique_ptr<Model> model;
    refusal([&] { model = blend.fit(data, fit); }, &code);
    if (model != nullptr) {
      EXPECT_GT(stops, 1) << stage;
      return encode_state(model->state(), StateKind::Model);
    }
    EXPECT_EQ(code, 7);
    checkpoint = stop.bytes;
  }
  return "does not come to an end";
}

TEST(Blend, stopped_again_and_again_ends_with_the_same_bits) {
  const TrainingData data = training_data(told(4, 0.4));
  const auto blend = make_learner(
      "blend", {{"trees", "5"}, {"width", "4"}, {"epochs", "1"}, {"budget", "thorough"}});
  const std::string wanted = encode_state(blend->fit(data, {})->state(), StateKind::Model);
  for (const char* stage : {"networks", "the game"})
    EXPECT_EQ(bytes_with_stops(*blend, data, stage), wanted) << stage;
}

TEST(Blend, keeps_the_checkpoint_of_the_game_while_it_trains_networks_once_more) {
  const TrainingData data = training_data(told(4, 0.4));
  const auto blend = make_learner(
      "blend", {{"trees", "5"}, {"width", "4"}, {"epochs", "1"}, {"budget", "thorough"}});
  StopsAt game("the game"), networks("networks");
  FitOptions fit;
  fit.progress = &game;
  fit.checkpoints = &game;
  refusal([&] { blend->fit(data, fit); });
  const ModelState unfinished = decode_state(game.bytes, StateKind::Checkpoint, "memory");
  fit.progress = &networks;
  fit.checkpoints = &networks;
  fit.resume_from = &unfinished;
  refusal([&] { blend->fit(data, fit); });
  EXPECT_EQ(networks.bytes, "");
}

TEST(Blend, refuses_a_checkpoint_of_another_method) {
  ModelState other;
  other.method = "comes-hl";
  FitOptions fit;
  fit.resume_from = &other;
  int code = 0;
  EXPECT_THAT(refusal([&] { quick_blend()->fit(training_data(crowd()), fit); }, &code),
              HasSubstr("another training"));
  EXPECT_EQ(code, 4);
}

TEST(Blend, refuses_a_state_whose_parts_and_weights_do_not_fit) {
  const auto model = quick_blend()->fit(training_data(crowd()), {});
  const auto expect_refused = [&](const auto& damage) {
    ModelState state = model->state();
    damage(state);
    int code = 0;
    const std::string message =
        refusal([&] { method_info("blend").load(std::move(state)); }, &code);
    EXPECT_EQ(code, 4) << message;
  };
  const auto weights = [](ModelState& state) -> std::vector<float>& {
    return std::ranges::find(state.tensors, "weights", &Tensor::name)->values;
  };
  expect_refused([&](ModelState& state) { weights(state)[0] += 0.5F; });
  expect_refused([&](ModelState& state) { weights(state)[0] = -1; });
  expect_refused([&](ModelState& state) { weights(state)[0] = std::nanf(""); });
  expect_refused([](ModelState& state) {
    std::erase_if(state.tensors, [](const Tensor& t) { return t.name.starts_with("best/"); });
  });
  expect_refused([](ModelState& state) { state.tensors.clear(); });
}

}  // namespace
}  // namespace sieve::test
