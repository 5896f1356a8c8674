#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "labelsieve/learner.h"
#include "labelsieve/metrics.h"
#include "labelsieve/model_io.h"
#include "labelsieve/prepare.h"
#include "support/support.h"

namespace sieve {
namespace {

Dataset crowd(std::size_t rows) {
  ThreadPool pool(1);
  return make_synthetic({.rows = rows, .features = 20, .labels = 6}, pool);
}

std::unique_ptr<Model> fit(const std::string& method, const std::string& mode,
                           const TrainingData& data, std::size_t threads = 1) {
  const MethodInfo& info = method_info(method);
  Options options(info.options);
  options.set("mode", mode);
  ThreadPool pool(threads);
  FitOptions with;
  with.threads = &pool;
  return info.make(options)->fit(data, with);
}

TEST(ParticleReleased, one_neighbour_is_enough_to_vouch_for_labels) {
  const MethodInfo& info = method_info("particle-vls");
  Options options(info.options);
  options.set("mode", "released");
  options.set("k", "1");
  const auto model = info.make(options)->fit(training_data(crowd(100)), {});
  EXPECT_FALSE(model->state().notes.at("credible").starts_with("0 ")) << "no label is believed";
}

class Particle : public ::testing::TestWithParam<std::pair<const char*, const char*>> {
 protected:
  static std::unique_ptr<Model> fit_it(const TrainingData& data, std::size_t threads = 1) {
    return fit(GetParam().first, GetParam().second, data, threads);
  }
};

TEST_P(Particle, learns_from_noisy_candidates) {
  const Dataset data = crowd(500);
  const Split split = split_random(data.rows(), 0.3, 1);
  ThreadPool pool(1);
  const auto model = fit_it(training_data(data).subset(split.train));
  const Dataset test = data.select_rows(split.test);
  const Matrix scores = model->scores(test.features, pool);
  EXPECT_GT(average_precision(scores, *test.truth).value, 0.65);
  EXPECT_LT(hamming_loss(model->decide(scores), *test.truth).value, 0.4);
}

TEST_P(Particle, has_the_same_bits_for_any_number_of_threads) {
  const TrainingData data = training_data(crowd(150));
  const std::string one = encode_state(fit_it(data)->state(), StateKind::Model);
  for (const std::size_t threads : {2U, 3U})
    EXPECT_EQ(encode_state(fit_it(data, threads)->state(), StateKind::Model), one);
}

TEST_P(Particle, takes_sparse_features_as_it_takes_dense_ones) {
  TrainingData data = training_data(crowd(120));
  for (std::size_t i = 0; i < data.rows(); ++i)
    for (std::size_t j = 0; j < data.features.cols(); ++j)
      if ((i + j) % 3 != 0) data.features.dense()(i, j) = 0;
  ThreadPool pool(1);
  const Features dense = data.features;
  const auto from_dense = fit_it(data);
  data.features = dense.to_sparse();
  const auto from_sparse = fit_it(data);
  EXPECT_EQ(from_dense->state().notes.at("credible"), from_sparse->state().notes.at("credible"));
  const Matrix a = from_dense->scores(dense, pool), b = from_sparse->scores(dense, pool);
  const Matrix c = from_dense->scores(data.features, pool);
  std::size_t apart = 0;  // a vote may flip where an output is all but 0
  for (std::size_t i = 0; i < a.rows(); ++i)
    for (std::size_t k = 0; k < a.cols(); ++k) {
      apart += std::abs(a(i, k) - b(i, k)) > 1e-3F;
      apart += std::abs(a(i, k) - c(i, k)) > 1e-3F;
    }
  EXPECT_LE(apart, a.rows() * a.cols() / 50);
}

TEST_P(Particle, learns_from_rows_that_are_all_alike) {
  TrainingData data = training_data(crowd(40));
  for (std::size_t i = 1; i < data.rows(); ++i)
    std::ranges::copy(data.features.dense().row(i % 2), data.features.dense().row(i).begin());
  ThreadPool pool(1);
  const Matrix scores = fit_it(data)->scores(data.features, pool);
  for (std::size_t i = 0; i < scores.rows(); ++i)
    for (const float score : scores.row(i)) EXPECT_TRUE(score >= 0 && score <= 1);
}

TEST_P(Particle, refuses_a_feature_that_is_not_a_number) {
  TrainingData data = training_data(crowd(30));
  data.features.dense()(4, 2) = std::numeric_limits<float>::quiet_NaN();
  int code = 0;
  const std::string message = test::refusal([&] { fit_it(data); }, &code);
  EXPECT_EQ(code, 3) << message;
}

INSTANTIATE_TEST_SUITE_P(Modes, Particle,
                         ::testing::Values(std::pair{"particle-vls", "paper"},
                                           std::pair{"particle-vls", "released"},
                                           std::pair{"particle-map", "paper"},
                                           std::pair{"particle-map", "released"}));

}  // namespace
}  // namespace sieve
