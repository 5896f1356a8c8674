// Learning from how likely each label is right, not from candidates.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/random.h"
#include "labelsieve/error.h"
#include "labelsieve/learner.h"
#include "labelsieve/metrics.h"
#include "labelsieve/model_io.h"
#include "labelsieve/prepare.h"
#include "methods/network/noise_model.h"
#include "support/support.h"

namespace sieve {
namespace {

using test::refusal;
using ::testing::HasSubstr;

struct Method {
  const char* name;
  std::map<std::string, std::string> settings;
};

void PrintTo(const Method& method, std::ostream* out) {
  *out << method.name;
}

Dataset crowd(std::size_t rows = 400) {
  ThreadPool pool(1);
  return make_synthetic({.rows = rows, .features = 20, .labels = 6}, pool);
}

// Fairly sure of most right labels, and never quite sure that a label is not right.
Matrix doubtful(const Dataset& data) {
  Matrix right(data.rows(), data.labels());
  for (std::size_t i = 0; i < data.rows(); ++i)
    for (std::size_t k = 0; k < data.labels(); ++k) {
      const bool mistaken = Random(5, Purpose::Test, k, i).chance(0.1);
      right(i, k) = data.truth->get(i, k) != mistaken ? 0.9F : 0.2F;
    }
  return right;
}

TrainingData believed(const Dataset& data) {
  return with_probabilities(training_data(data), doubtful(data));
}

// The same candidates, taken for certain.
TrainingData certain(const TrainingData& data) {
  return {data.features, data.candidates.share(), data.feature_names, data.label_names};
}

std::string model_bytes(const Method& method, const TrainingData& data, std::size_t threads = 1) {
  ThreadPool pool(threads);
  FitOptions fit;
  fit.threads = &pool;
  return encode_state(make_learner(method.name, method.settings)->fit(data, fit)->state(),
                      StateKind::Model);
}

class Probabilities : public ::testing::TestWithParam<Method> {};

TEST_P(Probabilities, change_what_is_learnt) {
  const TrainingData data = believed(crowd());
  EXPECT_NE(model_bytes(GetParam(), data), model_bytes(GetParam(), certain(data)));
}

TEST_P(Probabilities, are_what_scores_come_near_to) {
  const Dataset data = crowd(1500);
  const TrainingData rows = believed(data);
  ThreadPool pool(1);
  FitOptions fit;
  fit.threads = &pool;
  const auto model = make_learner(GetParam().name, GetParam().settings)->fit(rows, fit);
  const Matrix scores = model->scores(data.features, pool);
  double sum = 0, believed_sum = 0;
  for (std::size_t i = 0; i < data.rows(); ++i)
    for (std::size_t k = 0; k < data.labels(); ++k) {
      sum += double{scores(i, k)};
      believed_sum += double{(*rows.probabilities)(i, k)};
    }
  // As many labels as believed, of which candidates are only a part.
  EXPECT_NEAR(sum / believed_sum, 1, 0.12);
  EXPECT_LT(static_cast<double>(rows.candidates.count()), 0.9 * believed_sum);
}

TEST_P(Probabilities, give_the_same_bits_for_any_number_of_threads) {
  const TrainingData data = believed(crowd());
  EXPECT_EQ(model_bytes(GetParam(), data, 1), model_bytes(GetParam(), data, 3));
}

TEST_P(Probabilities, of_a_part_of_the_rows_are_taken_along) {
  const Dataset data = crowd();
  const std::vector<std::size_t> rows = {399, 7, 7, 120, 3, 250, 251, 252, 253, 254, 255, 256};
  const TrainingData part = believed(data).subset(rows);
  const Dataset chosen = data.select_rows(rows);
  Matrix right = doubtful(data), of_rows(rows.size(), data.labels());
  for (std::size_t i = 0; i < rows.size(); ++i)
    std::ranges::copy(right.row(rows[i]), of_rows.row(i).begin());
  EXPECT_EQ(model_bytes(GetParam(), part),
            model_bytes(GetParam(), with_probabilities(training_data(chosen), of_rows)));
}

TEST_P(Probabilities, outside_0_and_1_are_refused) {
  const Dataset data = crowd(50);
  for (const float wrong : {NAN, -0.5F, 1.25F, INFINITY}) {
    Matrix right = doubtful(data);
    right(6, 2) = wrong;
    const TrainingData rows = with_probabilities(training_data(data), right);
    EXPECT_THAT(refusal([&] { model_bytes(GetParam(), rows); }),
                HasSubstr("how likely label 3 of row 7 is right must be between 0 and 1"));
  }
}

TEST_P(Probabilities, of_other_rows_are_refused) {
  TrainingData data = believed(crowd(50));
  data.probabilities = believed(crowd(40)).probabilities;
  EXPECT_THAT(refusal([&] { model_bytes(GetParam(), data); }), HasSubstr("beliefs of 40 rows"));
}

const std::map<std::string, std::string> kQuick = {{"depth", "1"}, {"width", "32"}};
std::map<std::string, std::string> quick(const char* key, const char* value) {
  auto settings = kQuick;
  settings[key] = value;
  return settings;
}

INSTANTIATE_TEST_SUITE_P(
    All, Probabilities,
    ::testing::Values(Method{"mlp", kQuick}, Method{"mlp-noise", kQuick},
                      Method{"pml-gan", quick("share", "0.5")}, Method{"comes-hl", kQuick},
                      Method{"forest", {{"trees", "40"}, {"leaf", "5"}}},
                      Method{"blend", {{"trees", "20"}, {"width", "32"}, {"epochs", "10"}}}),
    [](const auto& named) {
      std::string name = named.param.name;
      std::erase(name, '-');
      return name;
    });

TEST(ProbabilitiesOfRankings, change_what_is_learnt) {
  const Method method{"comes-rl", kQuick};
  const TrainingData data = believed(crowd());
  EXPECT_NE(model_bytes(method, data), model_bytes(method, certain(data)));
}

TEST(ProbabilitiesOfMethods, are_not_asked_for_by_linear_ones) {
  const TrainingData data = believed(crowd());
  EXPECT_EQ(model_bytes({"pml-ni", {}}, data), model_bytes({"pml-ni", {}}, certain(data)));
}

TEST(ProbabilitiesOfNetworks, hold_a_checkpoint_to_its_training) {
  const TrainingData data = believed(crowd());
  struct Stop final : Progress, CheckpointSink {
    bool stop_requested() const override { return true; }
    bool due() const override { return false; }
    void save(const ModelState& state) override { saved = state; }
    ModelState saved;
  } stop;
  const auto learner = make_learner("mlp-noise", kQuick);
  FitOptions fit;
  fit.progress = &stop;
  fit.checkpoints = &stop;
  refusal([&] { learner->fit(data, fit); });
  fit = {};
  fit.resume_from = &stop.saved;
  EXPECT_THAT(refusal([&] { learner->fit(certain(data), fit); }),
              HasSubstr("the checkpoint belongs to another training"));
  EXPECT_EQ(encode_state(learner->fit(data, fit)->state(), StateKind::Model),
            model_bytes({"mlp-noise", kQuick}, data));
}

TEST(WithProbabilities, keeps_256ths_and_calls_likely_what_is_at_least_one_half) {
  const Dataset data = crowd(3);
  Matrix right(3, 6);
  right(0, 1) = 0.5F, right(1, 2) = 0.4999F, right(2, 0) = 0.3F, right(2, 5) = 0.001F;
  const TrainingData rows = with_probabilities(training_data(data), right);
  EXPECT_EQ(rows.candidates.count(), 2U);
  EXPECT_TRUE(rows.candidates.get(0, 1) && rows.candidates.get(1, 2));
  EXPECT_EQ((*rows.probabilities)(2, 0), 77.0F / 256);
  EXPECT_EQ(rows.probabilities->candidates().count(), 3U);
  EXPECT_EQ(rows.votes, nullptr);
}

TEST(CellLoss, of_a_target_between_is_a_mean) {
  for (const float rate : {0.0F, 0.3F})
    EXPECT_DOUBLE_EQ(cell_loss(rate, 0.7F, 0.25F),
                     0.25 * cell_loss(rate, 0.7F, 1) + 0.75 * cell_loss(rate, 0.7F, 0));
}

}  // namespace
}  // namespace sieve
