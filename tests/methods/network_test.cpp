#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "base/random.h"
#include "labelsieve/error.h"
#include "labelsieve/learner.h"
#include "labelsieve/metrics.h"
#include "labelsieve/model_io.h"
#include "labelsieve/predict.h"
#include "labelsieve/prepare.h"
#include "methods/network/network_learner.h"
#include "support/memory_limit.h"
#include "support/support.h"

namespace sieve {
namespace {

using test::refusal;
using ::testing::HasSubstr;
using Settings = std::map<std::string, std::string>;

const Settings kQuick = {{"members", "2"}, {"depth", "1"}, {"width", "32"}, {"epochs", "6"}};

Dataset crowd(std::size_t rows) {
  ThreadPool pool(1);
  return make_synthetic({.rows = rows, .features = 20, .labels = 6}, pool);
}

std::string model_bytes(const std::string& method, const TrainingData& data, std::size_t threads,
                        const Settings& settings = kQuick) {
  ThreadPool pool(threads);
  FitOptions fit;
  fit.threads = &pool;
  return encode_state(make_learner(method, settings)->fit(data, fit)->state(), StateKind::Model);
}

// Stops the training at every step and hands on the checkpoint.
class StopAlways final : public Progress, public CheckpointSink {
 public:
  bool stop_requested() const override { return true; }
  bool due() const override { return false; }
  void save(const ModelState& state) override {
    bytes = encode_state(state, StateKind::Checkpoint);
  }
  std::string bytes;
};

// The model of a training that goes on from a checkpoint after every step.
std::string model_bytes_with_stops(const std::string& method, const TrainingData& data,
                                   const Settings& settings) {
  std::string bytes;
  for (std::size_t stops = 0; stops < 1000; ++stops) {
    StopAlways stop;
    FitOptions fit;
    fit.progress = &stop;
    fit.checkpoints = &stop;
    ModelState resumed;
    if (!bytes.empty()) {
      resumed = decode_state(bytes, StateKind::Checkpoint, "memory");
      fit.resume_from = &resumed;
    }
    int code = 0;
    std::unique_ptr<Model> model;
    refusal([&] { model = make_learner(method, settings)->fit(data, fit); }, &code);
    if (model) {
      EXPECT_GT(stops, 8U);
      return encode_state(model->state(), StateKind::Model);
    }
    EXPECT_EQ(code, 7);
    bytes = stop.bytes;
  }
  return "does not come to an end";
}

TEST(Networks, a_training_stopped_after_every_step_ends_with_the_same_bits) {
  const TrainingData data = training_data(crowd(200));
  const Settings settings = {{"members", "2"}, {"width", "16"}, {"epochs", "2"}, {"batch", "64"}};
  for (const char* method : {"mlp-noise", "pml-gan", "comes-hl", "comes-rl"})
    EXPECT_EQ(model_bytes_with_stops(method, data, settings),
              model_bytes(method, data, 2, settings))
        << method;
}

// From 4096 features on the step is another one.
TEST(PmlGan, on_very_many_features_keeps_the_promises_about_bits) {
  ThreadPool pool(1);
  const TrainingData data = training_data(
      make_synthetic({.rows = 70, .features = 4200, .entries = 30, .labels = 5}, pool));
  const Settings settings = {{"members", "1"},        {"depth", "1"},      {"width", "16"},
                             {"epochs", "3"},         {"batch", "16"},     {"share", "0.5"},
                             {"noise-share", "0.85"}, {"prior-rows", "40"}};
  const std::string one = model_bytes("pml-gan", data, 1, settings);
  for (const std::size_t threads : {2U, 3U, 8U})
    EXPECT_EQ(model_bytes("pml-gan", data, threads, settings), one) << threads;
  EXPECT_EQ(model_bytes_with_stops("pml-gan", data, settings), one);
}

// So many features that the mean of the rare ones is not taken off.
TrainingData wide_crowd() {
  ThreadPool pool(1);
  return training_data(
      make_synthetic({.rows = 130, .features = 1500, .entries = 20, .labels = 5}, pool));
}

const Settings kWide = {{"members", "2"}, {"width", "16"}, {"epochs", "3"}, {"batch", "16"}};

TEST(Networks, on_sparse_rows_keep_the_promises_about_bits) {
  const TrainingData data = wide_crowd();
  for (const char* method : {"mlp-noise", "pml-gan", "comes-hl"}) {
    Settings settings = kWide;
    if (std::string(method) == "pml-gan") settings["share"] = "0.5", settings["depth"] = "1";
    const std::string one = model_bytes(method, data, 1, settings);
    EXPECT_EQ(model_bytes(method, data, 3, settings), one) << method;
    EXPECT_EQ(model_bytes_with_stops(method, data, settings), one) << method;
  }
}

// A batch in parts is moved with all features, one in one piece with those it meets.
TEST(Networks, on_sparse_rows_learn_what_steps_of_all_weights_learn) {
  const TrainingData data = wide_crowd();
  ThreadPool pool(2);
  for (const char* depth : {"0", "1", "2"}) {
    Settings settings = kWide;
    settings.insert({{"depth", depth}, {"epochs", "10"}, {"noise-share", "0.85"}});
    settings["parts"] = "1";
    const auto lazy = make_learner("mlp-noise", settings)->fit(data, {});
    settings["parts"] = "2";
    const auto eager = make_learner("mlp-noise", settings)->fit(data, {});
    const Matrix a = lazy->scores(data.features, pool), b = eager->scores(data.features, pool);
    for (std::size_t i = 0; i < a.rows(); ++i)
      for (std::size_t k = 0; k < a.cols(); ++k) EXPECT_NEAR(a(i, k), b(i, k), 2e-3) << depth;
  }
}

TEST(Networks, on_sparse_rows_take_up_checkpoints_with_and_without_missed_steps) {
  const TrainingData data = wide_crowd();
  StopAlways stop;
  FitOptions fit;
  fit.progress = &stop;
  fit.checkpoints = &stop;
  Settings settings = kWide;
  settings.insert({{"depth", "1"}, {"noise-share", "0.85"}});
  ModelState state;
  for (int steps = 0; steps < 2; ++steps) {  // after the first nothing has been missed
    refusal([&] { make_learner("mlp-noise", settings)->fit(data, fit); });
    state = decode_state(stop.bytes, StateKind::Checkpoint, "memory");
    fit.resume_from = &state;
  }
  const auto missed = std::ranges::find(state.tensors, "member0/missed", &Tensor::name);
  ASSERT_NE(missed, state.tensors.end());
  FitOptions resumed;
  resumed.resume_from = &state;
  int code = 0;
  for (const float count : {-1.0F, 3.0F, 1e9F}) {
    missed->values[7] = count;
    EXPECT_THAT(refusal([&] { make_learner("mlp-noise", settings)->fit(data, resumed); }, &code),
                HasSubstr("another training"));
    EXPECT_EQ(code, 4);
  }
  state.tensors.erase(missed);  // as in those of earlier versions
  EXPECT_NE(make_learner("mlp-noise", settings)->fit(data, resumed), nullptr);
}

// Epochs of all members together, and what the winner noted.
std::pair<double, std::string> epochs_trained(const TrainingData& data) {
  double sum = 0;
  FitOptions fit;
  fit.on_epoch = [&](std::size_t, const EpochReport& report) { sum += report.back().second; };
  const Settings settings = {{"members", "1"}, {"batch", "16"}, {"learning-rate", "0.01"}};
  return {sum, make_learner("mlp-noise", settings)->fit(data, fit)->state().notes.at("member0")};
}

// Nothing can be learnt here but the rows themselves.
TEST(Networks, on_sparse_rows_give_up_choices_that_get_worse_behind_a_better_one) {
  Dataset dense = crowd(100);
  Random random(1, Purpose::Test);
  for (std::size_t i = 0; i < 100; ++i)
    for (std::size_t k = 0; k < 6; ++k) dense.candidates.set(i, k, random.chance(0.4));
  const Dataset sparse = test::thinned(dense.clone());
  const auto all = epochs_trained(training_data(dense));
  const auto some = epochs_trained(training_data(sparse));
  EXPECT_LT(some.first, 0.8 * all.first);
  EXPECT_THAT(some.second, HasSubstr("held-out loss"));
}

// Few rows of few entries, with very many features and labels.
Dataset wide_set(std::size_t features, std::size_t labels) {
  constexpr std::size_t kRows = 20;
  Dataset data;
  data.candidates = LabelMatrix(kRows, labels);
  CsrMatrix x;
  x.cols = features;
  x.starts.push_back(0);
  for (std::size_t i = 0; i < kRows; ++i) {
    for (std::size_t e = 0; e < 3; ++e) {
      x.columns.push_back(static_cast<std::uint32_t>(i + e * features / 3));
      x.values.push_back(1);
    }
    x.starts.push_back(x.values.size());
    data.candidates.set(i, i % labels);
  }
  data.features = std::move(x);
  for (std::size_t k = 0; k < labels; ++k) data.label_names.push_back("l" + std::to_string(k));
  return data;
}

// That would be 140 MB of weights, several times.
TEST(Networks, have_no_weight_for_each_of_very_many_features_and_labels) {
  const Dataset data = wide_set(70000, 500);
  const test::MemoryLimit limit(150'000'000);
  const auto model = make_learner("mlp", {{"members", "1"}, {"width", "4"}, {"epochs", "1"}})
                         ->fit(training_data(data), {});
  EXPECT_NE(model->state().choices.depth, 0U);
}

TEST(Networks, say_beforehand_how_much_memory_they_would_take) {
  const Dataset data = wide_set(1'000'000, 5);
  const test::MemoryLimit limit(500'000'000);
  int code = 0;
  EXPECT_THAT(refusal([&] { make_learner("mlp-noise")->fit(training_data(data), {}); }, &code),
              HasSubstr("networks for 1000000 features and 5 labels would take"));
  EXPECT_EQ(code, 2);
}

std::unique_ptr<Learner> settled(const Learner& learner, const TrainingData& data) {
  return dynamic_cast<const NetworkLearner&>(learner).settled(data, {});
}

void expect_same(const CandidateScores& a, const CandidateScores& b, const LabelMatrix& cells) {
  for (std::size_t i = 0; i < cells.rows(); ++i)
    cells.for_each(i, [&](std::size_t k) { EXPECT_EQ(a(i, k), b(i, k)); });
}

TEST(Networks, settle_their_choices_on_all_rows) {
  const TrainingData data = training_data(crowd(150));
  const auto learner = make_learner("mlp-noise", {{"members", "1"}, {"width", "16"}});
  const auto chosen_once = settled(*learner, data);
  ASSERT_NE(chosen_once, nullptr);
  EXPECT_EQ(settled(*chosen_once, data), nullptr);  // nothing is left to choose
  const ModelState again = chosen_once->fit(data, {})->state();
  const ModelState chosen = learner->fit(data, {})->state();
  EXPECT_EQ(again.choices, chosen.choices);
  EXPECT_TRUE(again.choices.depth && again.choices.noise_share);
  EXPECT_EQ(again.notes.at("member0"), chosen.notes.at("member0"));
}

TEST(Networks, choose_once_for_all_folds) {
  const TrainingData data = training_data(crowd(60));
  const auto learner =
      make_learner("mlp-noise", {{"members", "1"}, {"width", "8"}, {"epochs", "3"}});
  const auto chosen_once = settled(*learner, data);
  ASSERT_NE(chosen_once, nullptr);
  const OutOfFold found = learner->fit_out_of_fold(data, 3, {});
  EXPECT_EQ(found.folds, 3U);
  expect_same(found.probabilities, chosen_once->fit_out_of_fold(data, 3, {}).probabilities,
              data.candidates);
}

TEST(Networks, judge_five_folds_in_one_fit_by_the_member_that_held_each_out) {
  const TrainingData data = training_data(crowd(150));
  Settings settings = kQuick;
  const auto three = make_learner("mlp-noise", settings);
  settings["members"] = "5";
  const auto five = make_learner("mlp-noise", settings);
  expect_same(three->fit_out_of_fold(data, 5, {}).probabilities,
              five->fit_out_of_fold(data, 5, {}).probabilities, data.candidates);
}

// The sum of what the members of a model noted of held-out candidates.
double held_out(const ModelState& state) {
  double sum = 0;
  for (const auto& [name, note] : state.notes)
    if (const auto at = note.find("held-out loss "); at != std::string::npos)
      sum += std::stod(note.substr(at + 14));
  return sum;
}

// Six labels that follow from a feature each, and are candidates without cause at these rates.
TrainingData noisy(std::size_t rows, const std::vector<double>& rates) {
  Matrix x(rows, rates.size());
  LabelMatrix candidates(rows, rates.size());
  Random random(3, Purpose::Test);
  std::vector<std::string> names;
  for (std::size_t k = 0; k < rates.size(); ++k) {
    names.push_back("label" + std::to_string(k));
    for (std::size_t i = 0; i < rows; ++i) {
      x(i, k) = static_cast<float>(random.uniform());
      if (x(i, k) > 0.7F || random.uniform() < rates[k]) candidates.set(i, k);
    }
  }
  TrainingData data;
  data.features = Features(std::move(x));
  data.candidates = std::move(candidates);
  data.label_names = std::move(names);
  return data;
}

const std::vector<double> kUnlike = {0.05, 0.1, 0.2, 0.4, 0.5, 0.6};

double error_of_rates(const ModelState& state, const std::vector<double>& rates) {
  double sum = 0;
  for (std::size_t k = 0; k < rates.size(); ++k)
    sum += std::abs(double{state.tensor("noise_rate").values[k]} - rates[k]);
  return sum / static_cast<double>(rates.size());
}

TEST(Networks, learn_a_rate_of_noise_for_each_label_where_labels_differ) {
  const TrainingData data = noisy(1500, kUnlike);
  Settings settings = kQuick;
  const ModelState learnt = make_learner("mlp-noise", settings)->fit(data, {})->state();
  settings["label-rates"] = "no";
  const ModelState one = make_learner("mlp-noise", settings)->fit(data, {})->state();
  EXPECT_LT(error_of_rates(learnt, kUnlike), 0.7 * error_of_rates(one, kUnlike));
  EXPECT_LT(held_out(learnt), held_out(one));
  EXPECT_TRUE(learnt.notes.contains("noise_rates"));
  EXPECT_FALSE(one.notes.contains("noise_rates"));
}

TEST(Networks, keep_to_one_rate_of_noise_where_labels_do_not_differ) {
  const TrainingData data = noisy(1500, std::vector(6, 0.6));
  Settings settings = kQuick;
  const ModelState learnt = make_learner("mlp-noise", settings)->fit(data, {})->state();
  settings["label-rates"] = "no";
  const ModelState one = make_learner("mlp-noise", settings)->fit(data, {})->state();
  ASSERT_EQ(learnt.tensors.size(), one.tensors.size());
  for (std::size_t i = 0; i < one.tensors.size(); ++i)
    EXPECT_EQ(learnt.tensors[i].values, one.tensors[i].values);
}

TEST(Networks, that_learn_rates_go_on_from_any_checkpoint) {
  const TrainingData data = noisy(1500, kUnlike);
  Settings settings = kQuick;
  settings.insert({{"noise-share", "0.85"}, {"label-rates", "yes"}, {"learning-rate", "0.01"}});
  const std::string bytes = model_bytes("mlp-noise", data, 2, settings);
  EXPECT_EQ(model_bytes_with_stops("mlp-noise", data, settings), bytes);
  settings["label-rates"] = "no";  // else the test says nothing about rates that were kept
  const ModelState one = make_learner("mlp-noise", settings)->fit(data, {})->state();
  EXPECT_NE(decode_state(bytes, StateKind::Model, "memory").tensor("noise_rate").values,
            one.tensor("noise_rate").values);
}

TEST(PmlGan, plays_the_game_only_where_held_out_candidates_become_more_likely) {
  std::size_t games = 0;
  for (const std::uint64_t seed : {1U, 2U, 3U, 4U, 5U, 6U}) {
    const TrainingData data = training_data(crowd(150 + 10 * seed));
    std::vector<std::unique_ptr<Model>> models;
    for (const char* share : {"0", "0.5", "auto"}) {
      Settings settings = kQuick;
      settings["share"] = share;
      FitOptions fit;
      fit.seed = seed;
      models.push_back(make_learner("pml-gan", settings)->fit(data, fit));
    }
    const bool game = held_out(models[1]->state()) < held_out(models[0]->state());
    games += game;
    const auto& kept = models[2]->state().tensors;
    const auto& expected = models[game ? 1 : 0]->state().tensors;
    ASSERT_EQ(kept.size(), expected.size());
    for (std::size_t i = 0; i < kept.size(); ++i) EXPECT_EQ(kept[i].values, expected[i].values);
  }
  EXPECT_GT(games, 0U);  // else the test says nothing about one of the two outcomes
  EXPECT_LT(games, 6U);
}

TEST(PmlGan, says_when_the_game_was_not_kept_and_what_the_model_is_then) {
  const TrainingData data = training_data(crowd(150));
  Settings settings = kQuick;
  settings["budget"] = "fast";
  const ModelState untried = make_learner("pml-gan", settings)->fit(data, {})->state();
  EXPECT_EQ(untried.notes.at("kept"),
            "the predictor alone: the game was not tried, as budget=fast wants it, so the model is "
            "that of mlp-noise with one rate of noise");
  Settings one_rate = kQuick;
  one_rate["label-rates"] = "no";
  const auto plain = make_learner("mlp-noise", one_rate)->fit(data, {});
  ASSERT_EQ(untried.tensors.size(), plain->state().tensors.size());
  for (std::size_t i = 0; i < untried.tensors.size(); ++i)
    EXPECT_EQ(untried.tensors[i].values, plain->state().tensors[i].values);
  settings["budget"] = "thorough";
  std::size_t told = 0;
  for (const std::uint64_t seed : {1U, 2U, 3U, 4U, 5U, 6U}) {
    const ModelState state =
        make_learner("pml-gan", settings)
            ->fit(training_data(crowd(150 + 10 * seed)), {.seed = seed, .on_epoch = {}})
            ->state();
    const bool game = state.choices.share.value() > 0;
    EXPECT_EQ(state.notes.contains("kept"), !game);
    if (game) continue;
    EXPECT_THAT(state.notes.at("kept"), HasSubstr("was tried and did not"));
    ++told;
  }
  EXPECT_GT(told, 0U);
}

TEST(PmlGan, does_not_try_a_game_that_takes_more_than_its_budget) {
  ThreadPool pool(1);
  const TrainingData data = training_data(
      make_synthetic({.rows = 60, .features = 50000, .entries = 10, .labels = 6}, pool));
  Settings settings = {{"members", "1"},  {"depth", "0"},      {"noise-share", "0.85"},
                       {"width", "8192"}, {"epochs", "10000"}, {"dropout", "0"}};
  const auto notes = make_learner("pml-gan", settings)->fit(data, {})->state().notes;
  EXPECT_THAT(notes.at("kept"), HasSubstr("times what budget=normal allows"));
}

TEST(PmlGan, without_the_game_is_the_noise_adapted_network_bit_for_bit) {
  const TrainingData data = training_data(crowd(150));
  Settings settings = kQuick, one_rate = kQuick;
  one_rate["label-rates"] = "no";
  const auto plain = make_learner("mlp-noise", one_rate)->fit(data, {});
  settings["share"] = "0";
  const auto alone = make_learner("pml-gan", settings)->fit(data, {});
  ASSERT_EQ(alone->state().tensors.size(), plain->state().tensors.size());
  for (std::size_t i = 0; i < plain->state().tensors.size(); ++i)
    EXPECT_EQ(alone->state().tensors[i].values, plain->state().tensors[i].values);
}

TEST(Networks, say_their_activation_and_refuse_one_they_do_not_know) {
  ModelState state = make_learner("mlp", kQuick)->fit(training_data(crowd(60)), {})->state();
  EXPECT_EQ(state.choices.activation, "leaky-relu");
  state.choices.activation = "swish";
  EXPECT_THAT(refusal([&] { method_info("mlp").load(state); }), HasSubstr("'swish' is not known"));
}

TEST(Networks, refuse_a_checkpoint_of_another_training) {
  const TrainingData data = training_data(crowd(100));
  StopAlways stop;
  FitOptions fit;
  fit.progress = &stop;
  fit.checkpoints = &stop;
  refusal([&] { make_learner("mlp", kQuick)->fit(data, fit); });
  const ModelState state = decode_state(stop.bytes, StateKind::Checkpoint, "memory");
  FitOptions other;
  other.resume_from = &state;
  other.seed = 2;
  int code = 0;
  EXPECT_THAT(refusal([&] { make_learner("mlp", kQuick)->fit(data, other); }, &code),
              HasSubstr("another training"));
  EXPECT_EQ(code, 4);

  ModelState crafted = decode_state(stop.bytes, StateKind::Checkpoint, "memory");
  other.resume_from = &crafted;
  for (const char* parts : {"", "x", "3", "-1", "99999999999999999999"}) {
    crafted.options["parts"] = parts;
    EXPECT_THAT(refusal([&] { make_learner("mlp", kQuick)->fit(data, other); }, &code),
                HasSubstr("no usable number of parts"));
    EXPECT_EQ(code, 4);
  }
}

double hamming(const std::string& method, const Dataset& data, const Split& split) {
  ThreadPool pool(2);
  const auto model = make_learner(method, {{"members", "1"}, {"depth", "1"}, {"epochs", "15"}})
                         ->fit(training_data(data).subset(split.train), {});
  const Dataset test = data.select_rows(split.test);
  return hamming_loss(model->decide(model->scores(test.features, pool)), *test.truth).value;
}

TEST(Networks, knowing_of_the_noise_beats_believing_every_tick) {
  const Dataset data = crowd(1000);
  const Split split = split_random(data.rows(), 0.2, 1);
  const double believed = hamming("mlp", data, split);
  EXPECT_LT(hamming("mlp-noise", data, split), 0.8 * believed);
  EXPECT_LT(hamming("pml-gan", data, split), 0.8 * believed);
}

TEST(Networks, dense_and_sparse_copies_of_a_set_are_learnt_alike) {
  const Dataset dense = crowd(300);
  Dataset sparse = dense.clone();
  sparse.features = dense.features.to_sparse();
  ThreadPool pool(2);
  const auto a = make_learner("pml-gan", kQuick)->fit(training_data(dense), {});
  const auto b = make_learner("pml-gan", kQuick)->fit(training_data(sparse), {});
  const Matrix left = a->scores(dense.features, pool), right = b->scores(dense.features, pool);
  for (std::size_t i = 0; i < left.rows(); ++i)
    for (std::size_t k = 0; k < left.cols(); ++k) EXPECT_NEAR(left(i, k), right(i, k), 0.02);
}

TEST(PmlGan, the_collapse_of_the_paper_s_objective_is_named_unless_told_to_go_on) {
  ThreadPool pool(1);
  const TrainingData data = training_data(make_synthetic(
      {.rows = 300, .features = 20, .labels = 10, .cardinality = 1.2, .noise = 1}, pool));
  Settings settings = {{"objective", "paper"},
                       {"ablation", "cls-ml"},
                       {"beta", "0.1"},
                       {"epochs", "60"},
                       {"learning-rate", "0.002"}};
  int code = 0;
  EXPECT_THAT(refusal([&] { make_learner("pml-gan", settings)->fit(data, {}); }, &code),
              HasSubstr("the training collapsed"));
  EXPECT_EQ(code, 6);
  settings["on-collapse"] = "continue";
  settings["epochs"] = "12";
  EXPECT_NE(make_learner("pml-gan", settings)->fit(data, {}), nullptr);
}

TEST(Options, name_the_nearest_key_and_the_range) {
  EXPECT_THAT(refusal([&] { make_learner("pml-gam", {}); }), HasSubstr("did you mean 'pml-gan'"));
  EXPECT_THAT(refusal([&] {
                make_learner("mlp", {{"widht", "3"}});
              }),
              HasSubstr("did you mean 'width'"));
  EXPECT_THAT(refusal([&] { make_learner("mlp", {{"width", "0"}}); }), HasSubstr("from 1 to 8192"));
  EXPECT_THAT(refusal([&] {
                make_learner("mlp", {{"dropout", "nan"}});
              }),
              HasSubstr("a number from"));
}

}  // namespace
}  // namespace sieve
