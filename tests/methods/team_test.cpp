#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <mutex>
#include <vector>

#include "labelsieve/error.h"
#include "labelsieve/learner.h"
#include "labelsieve/model_io.h"
#include "labelsieve/prepare.h"
#include "support/local_ranks.h"
#include "support/support.h"

namespace sieve {
namespace {

using test::refusal;
using test::run_ranks;
using ::testing::HasSubstr;
using Settings = std::map<std::string, std::string>;

// 131 rows of which a fifth is held out: no batch and no part is like the other.
Dataset crowd(std::size_t rows = 131) {
  ThreadPool pool(1);
  return make_synthetic({.rows = rows, .features = 20, .labels = 6}, pool);
}

const Settings kQuick = {{"members", "2"}, {"width", "16"}, {"epochs", "2"}, {"parts", "4"}};

std::string bytes_of(const Model& model) {
  return encode_state(model.state(), StateKind::Model);
}

std::string alone(const std::string& method, const TrainingData& data, const Settings& settings,
                  std::size_t threads = 1) {
  ThreadPool pool(threads);
  FitOptions fit;
  fit.threads = &pool;
  return bytes_of(*make_learner(method, settings)->fit(data, fit));
}

// The model that every one of the ranks ends with.
std::string together(std::size_t ranks, const std::string& method, const TrainingData& data,
                     const Settings& settings) {
  std::vector<std::string> models(ranks);
  run_ranks(ranks, [&](Team& team) {
    ThreadPool pool(team.rank() == 0 ? 2 : 1);
    FitOptions fit;
    fit.threads = &pool;
    fit.team = &team;
    models[team.rank()] = bytes_of(*make_learner(method, settings)->fit(data, fit));
  });
  for (const std::string& model : models) EXPECT_EQ(model, models.front());
  return models.front();
}

void expect_same_for_any_ranks(const std::string& method, const TrainingData& data,
                               const Settings& settings) {
  const std::string reference = alone(method, data, settings);
  EXPECT_EQ(alone(method, data, settings, 2), reference);
  for (const std::size_t ranks : {1U, 2U, 4U})
    EXPECT_EQ(together(ranks, method, data, settings), reference) << method << " " << ranks;
}

TEST(Team, any_number_of_ranks_gives_the_same_bits_on_dense_features) {
  const TrainingData data = training_data(crowd());
  for (const char* method : {"mlp", "mlp-noise", "pml-gan"})
    expect_same_for_any_ranks(method, data, kQuick);
}

TEST(Team, any_number_of_ranks_gives_the_same_bits_on_sparse_features) {
  const TrainingData data = training_data(test::thinned(crowd()));
  for (const char* method : {"mlp", "pml-gan"}) expect_same_for_any_ranks(method, data, kQuick);
}

TEST(Team, any_number_of_ranks_gives_the_same_bits_with_the_paper_s_objective) {
  const Settings paper = {{"objective", "paper"},     {"epochs", "1"},  {"beta", "0.1"},
                          {"prior-rows", "70"},       {"members", "1"}, {"parts", "4"},
                          {"on-collapse", "continue"}};
  expect_same_for_any_ranks("pml-gan", training_data(crowd(90)), paper);
}

TEST(Team, the_layout_of_parts_is_another_order_of_adding_and_nothing_else) {
  const TrainingData data = training_data(crowd(600));
  Settings whole = {{"members", "1"}, {"depth", "1"}, {"width", "32"}, {"epochs", "4"}};
  Settings cut = whole;
  cut["parts"] = "8";
  const auto a = make_learner("mlp-noise", whole)->fit(data, {});
  const auto b = make_learner("mlp-noise", cut)->fit(data, {});
  ThreadPool pool(1);
  const Matrix left = a->scores(data.features, pool), right = b->scores(data.features, pool);
  for (std::size_t i = 0; i < left.rows(); ++i)
    for (std::size_t k = 0; k < left.cols(); ++k) EXPECT_NEAR(left(i, k), right(i, k), 1e-3);
}

TEST(Team, parts_are_on_record_only_where_there_are_several) {
  const TrainingData data = training_data(crowd());
  Settings settings = kQuick;
  EXPECT_EQ(make_learner("mlp", settings)->fit(data, {})->state().options.at("parts"), "4");
  settings["parts"] = "auto";
  const auto plain = make_learner("mlp", settings)->fit(data, {});
  EXPECT_FALSE(plain->state().options.contains("parts"));
  settings["parts"] = "1";
  EXPECT_EQ(bytes_of(*make_learner("mlp", settings)->fit(data, {})), bytes_of(*plain));
}

// Stops a training after some steps, or falls silent there as a rank does that is killed.
class EndsAfter final : public Progress, public CheckpointSink {
 public:
  explicit EndsAfter(int steps, bool killed = false, bool due = false)
      : steps_(steps), killed_(killed), due_(due) {}
  bool stop_requested() const override {
    if (--steps_ > 0) return false;
    if (killed_) throw std::runtime_error("killed");
    return true;
  }
  bool due() const override { return due_; }
  void save(const ModelState& state) override {
    bytes = encode_state(state, StateKind::Checkpoint);
  }
  std::string bytes;

 private:
  mutable int steps_;
  bool killed_, due_;
};

// Checkpoints hold what a model leaves out: the optimiser, and the padding of every layer.
TEST(Team, any_number_of_ranks_writes_the_same_checkpoint) {
  const TrainingData data = training_data(crowd());
  Settings settings = kQuick;
  settings["share"] = "0.5";
  const auto last_checkpoint = [&](std::size_t ranks) {
    EndsAfter stop(1000000, false, true);
    run_ranks(ranks, [&](Team& team) {
      FitOptions fit;
      fit.team = &team;
      if (team.rank() == 0) fit.checkpoints = &stop;
      make_learner("pml-gan", settings)->fit(data, fit);
    });
    return stop.bytes;
  };
  const std::string alone = last_checkpoint(1);
  EXPECT_FALSE(alone.empty());
  EXPECT_EQ(last_checkpoint(2), alone);
  EXPECT_EQ(last_checkpoint(4), alone);
}

std::string resumed(std::size_t ranks, const std::string& checkpoint, const TrainingData& data,
                    const Settings& settings) {
  const ModelState state = decode_state(checkpoint, StateKind::Checkpoint, "memory");
  std::string model;
  run_ranks(ranks, [&](Team& team) {
    FitOptions fit;
    fit.team = &team;
    fit.resume_from = &state;
    const auto fitted = make_learner("pml-gan", settings)->fit(data, fit);
    if (team.rank() == 0) model = bytes_of(*fitted);
  });
  return model;
}

TEST(Team, a_request_to_any_rank_stops_all_and_any_number_of_ranks_goes_on) {
  const TrainingData data = training_data(crowd());
  const std::string whole = alone("pml-gan", data, kQuick);
  EndsAfter asked(12), first(1000000);
  int code = 0;
  refusal(
      [&] {
        run_ranks(2, [&](Team& team) {
          FitOptions fit;
          fit.team = &team;
          fit.progress = team.rank() == 0 ? &first : &asked;
          fit.checkpoints = team.rank() == 0 ? &first : nullptr;
          make_learner("pml-gan", kQuick)->fit(data, fit);
        });
      },
      &code);
  EXPECT_EQ(code, 7);
  Settings automatic = kQuick;
  automatic["parts"] = "auto";  // as the checkpoint has it
  for (const std::size_t ranks : {1U, 2U, 4U})
    EXPECT_EQ(resumed(ranks, first.bytes, data, automatic), whole) << ranks;
}

TEST(Team, a_rank_that_dies_leaves_a_checkpoint_from_which_any_number_of_ranks_goes_on) {
  const TrainingData data = training_data(crowd());
  const std::string whole = alone("pml-gan", data, kQuick);
  for (const int steps : {2, 9, 23}) {
    EndsAfter dying(steps, true), first(1000000);
    std::string lost;
    EXPECT_THROW(run_ranks(4,
                           [&](Team& team) {
                             FitOptions fit;
                             fit.team = &team;
                             if (team.rank() == 2) fit.progress = &dying;
                             if (team.rank() == 0) fit.checkpoints = &first;
                             const auto train = [&] {
                               make_learner("pml-gan", kQuick)->fit(data, fit);
                             };
                             if (team.rank() == 0)
                               lost = refusal(train);
                             else
                               train();
                           }),
                 std::runtime_error);
    EXPECT_THAT(lost, HasSubstr("is lost"));
    for (const std::size_t ranks : {1U, 2U})
      EXPECT_EQ(resumed(ranks, first.bytes, data, kQuick), whole) << ranks;
  }
}

// What every rank is refused with when rank 1 is given something else.
std::string refusal_of_all(const std::function<void(Team&)>& train) {
  std::vector<std::string> messages(2);
  run_ranks(2, [&](Team& team) { messages[team.rank()] = refusal([&] { train(team); }); });
  EXPECT_EQ(messages[0], messages[1]);
  return messages[0];
}

TEST(Team, ranks_that_see_other_data_or_settings_are_named_by_every_rank) {
  const TrainingData data = training_data(crowd()), other = training_data(crowd(130));
  EXPECT_THAT(refusal_of_all([&](Team& team) {
                FitOptions fit;
                fit.team = &team;
                make_learner("mlp", kQuick)->fit(team.rank() == 1 ? other : data, fit);
              }),
              HasSubstr("rank 1 has other data than rank 0"));
  EXPECT_THAT(refusal_of_all([&](Team& team) {
                FitOptions fit;
                fit.team = &team;
                fit.seed = team.rank();
                make_learner("mlp", kQuick)->fit(data, fit);
              }),
              HasSubstr("rank 1 has other settings than rank 0"));
}

TEST(Team, features_and_candidates_of_different_rows_are_refused_by_every_rank) {
  TrainingData data = training_data(crowd());
  data.candidates = data.candidates.select_rows(std::vector<std::size_t>{0, 1, 2});
  EXPECT_THAT(refusal_of_all([&](Team& team) {
                FitOptions fit;
                fit.team = &team;
                make_learner("mlp", kQuick)->fit(data, fit);
              }),
              HasSubstr("but candidates of 3"));
}

TEST(Team, layouts_that_can_not_be_cut_are_refused) {
  const TrainingData data = training_data(crowd(40));
  const auto with = [&](const char* key, const char* value) {
    Settings settings = kQuick;
    settings[key] = value;
    return refusal([&] { make_learner("pml-gan", settings)->fit(data, {}); });
  };
  EXPECT_THAT(with("parts", "3"), HasSubstr("1, 2, 4, 8, ... parts, not 3"));
  EXPECT_THAT(with("parts", "64"), HasSubstr("32 rows of a batch cannot be cut into 64 parts"));
  EXPECT_THAT(with("prior-rows", "2"), HasSubstr("2 label vectors of the prior"));
  EXPECT_THAT(refusal_of_all([&](Team& team) {
                FitOptions fit;
                fit.team = &team;
                Settings settings = kQuick;
                settings["parts"] = "1";
                make_learner("mlp", settings)->fit(data, fit);
              }),
              HasSubstr("2 ranks cannot share 1 parts"));
}

}  // namespace
}  // namespace sieve
