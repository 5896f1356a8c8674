#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "base/random.h"
#include "labelsieve/learner.h"
#include "labelsieve/metrics.h"
#include "labelsieve/model_io.h"
#include "methods/ridge/ridge_model.h"
#include "support/support.h"

namespace sieve::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::size_t kWords = 80, kTopics = 4;

// Texts of 3 to 30 words: ten words of each topic are more likely in texts about it. Long texts
// have each of their words twice.
Dataset texts(std::size_t rows, double noise, std::uint64_t seed) {
  Random random(seed, Purpose::Test);
  Dataset data;
  Matrix x(rows, kWords);
  data.candidates = LabelMatrix(rows, kTopics);
  data.truth.emplace(rows, kTopics);
  for (std::size_t i = 0; i < rows; ++i) {
    const std::size_t topic = random.below(kTopics), words = 3 + random.below(28);
    for (std::size_t w = 0; w < words; ++w) {
      const bool about = random.chance(0.4);
      const std::size_t word = about ? topic * 10 + random.below(10) : random.below(kWords);
      x(i, word) = words > 20 ? 2 : 1;
    }
    for (std::size_t k = 0; k < kTopics; ++k) {
      data.truth->set(i, k, k == topic);
      data.candidates.set(i, k, k == topic || random.chance(noise));
    }
  }
  data.features = Features(Features(std::move(x)).to_sparse());
  for (std::size_t k = 0; k < kTopics; ++k) data.label_names.push_back("topic" + std::to_string(k));
  return data;
}

std::unique_ptr<RidgeModel> fitted(const TrainingData& data, float rate = 0.3F,
                                   std::size_t threads = 1) {
  ThreadPool pool(threads);
  Progress silent;
  return fit_ridge_part(data, std::vector<float>(data.labels(), rate), pool, silent);
}

Matrix scores_of(const Model& model, const Features& x) {
  ThreadPool pool(1);
  return model.scores(x, pool);
}

void expect_equal(const Matrix& a, const Matrix& b) {
  for (std::size_t i = 0; i < a.rows(); ++i)
    for (std::size_t k = 0; k < a.cols(); ++k) ASSERT_EQ(a(i, k), b(i, k)) << i << ' ' << k;
}

TEST(RidgePart, tells_topics_from_noisy_candidates) {
  const Dataset data = texts(600, 0.4, 1), test = texts(400, 0, 2);
  const auto model = fitted(training_data(data), 0.4F);
  EXPECT_GT(average_precision(scores_of(*model, test.features), *test.truth).value, 0.9);
  EXPECT_GT(average_precision(*model->held_out_scores(), *data.truth).value, 0.85);
}

TEST(RidgePart, judges_no_row_by_its_own_labels) {
  Dataset data = texts(400, 0, 3);
  Random random(4, Purpose::Test);
  for (std::size_t i = 0; i < data.rows(); ++i)
    for (std::size_t k = 0; k < kTopics; ++k) data.candidates.set(i, k, random.chance(0.5));
  const Matrix& said = *fitted(training_data(data))->held_out_scores();
  double ticked = 0, count = 0, others = 0;
  for (std::size_t i = 0; i < data.rows(); ++i)
    for (std::size_t k = 0; k < kTopics; ++k) {
      const bool on = data.candidates.get(i, k);
      (on ? ticked : others) += double{said(i, k)};
      count += on ? 1 : 0;
    }
  const double cells = static_cast<double>(data.rows() * kTopics);
  EXPECT_NEAR(ticked / count, others / (cells - count), 0.03);
}

TEST(RidgePart, does_not_go_by_how_long_a_row_is) {
  const Dataset data = texts(300, 0.3, 5);
  const auto model = fitted(training_data(data));
  CsrMatrix longer = data.features.to_sparse();
  for (std::size_t e = 0; e < longer.nonzeros(); ++e) longer.values[e] *= 4;  // exact
  expect_equal(scores_of(*model, data.features), scores_of(*model, Features(std::move(longer))));
}

TEST(RidgePart, knows_how_frequent_labels_are_where_a_row_says_nothing) {
  Dataset data = texts(500, 0, 6);
  for (std::size_t i = 0; i < data.rows(); i += 3) data.candidates.set(i, 2);
  const auto model = fitted(training_data(data), 0);
  const Matrix scores = scores_of(*model, Features(Matrix(1, kWords)));
  for (const std::size_t other : {0, 1, 3}) EXPECT_GT(scores(0, 2), scores(0, other));
}

TEST(RidgePart, takes_numbers_as_large_as_there_are) {
  const Dataset data = texts(200, 0.3, 14);
  TrainingData large = training_data(data);
  large.features = Features(data.features.to_sparse());
  for (float& value : large.features.sparse().values) value *= 1e38F;
  const auto model = fitted(large);
  const Matrix scores = scores_of(*model, large.features);
  for (const float score : scores.values()) ASSERT_TRUE(std::isfinite(score));
  EXPECT_GT(average_precision(*model->held_out_scores(), *data.truth).value, 0.8);
}

TEST(RidgePart, is_left_out_where_rows_are_not_sparse_or_too_few) {
  const Dataset data = texts(100, 0.2, 7);
  const TrainingData rows = training_data(data);
  std::vector<std::size_t> few(4);
  std::iota(few.begin(), few.end(), std::size_t{0});
  EXPECT_EQ(fitted(rows.subset(few)), nullptr);
  TrainingData dense = training_data(data);
  dense.features = Features(data.features.to_dense(std::numeric_limits<std::size_t>::max()));
  EXPECT_EQ(fitted(dense), nullptr);
}

TEST(RidgePart, has_the_same_bits_for_any_number_of_threads_and_any_storage) {
  const Dataset data = texts(700, 0.3, 8);
  const auto one = fitted(training_data(data)), three = fitted(training_data(data), 0.3F, 3);
  EXPECT_EQ(encode_state(one->state(), StateKind::Model),
            encode_state(three->state(), StateKind::Model));
  expect_equal(*one->held_out_scores(), *three->held_out_scores());
  expect_equal(scores_of(*one, data.features),
               scores_of(*one, Features(data.features.to_dense(1 << 24))));
}

TEST(RidgePart, counts_a_row_by_its_weight) {
  Dataset data = texts(300, 0, 9);
  // The second half says the opposite of the first.
  std::vector<float> weights(data.rows(), 1.9F);
  for (std::size_t i = data.rows() / 2; i < data.rows(); ++i) {
    weights[i] = 0.1F;
    for (std::size_t k = 0; k < kTopics; ++k) data.candidates.set(i, k, !data.truth->get(i, k));
  }
  TrainingData rows = training_data(data);
  rows.weights = std::make_shared<const std::vector<float>>(weights);
  const Dataset test = texts(300, 0, 10);
  EXPECT_GT(average_precision(scores_of(*fitted(rows, 0), test.features), *test.truth).value, 0.85);
}

std::unique_ptr<Model> quick_blend(const TrainingData& data) {
  return make_learner("blend", {{"trees", "20"}, {"width", "8"}, {"epochs", "2"}})->fit(data, {});
}

TEST(BlendOfTexts, has_the_regression_as_a_part_and_comes_back_from_its_file) {
  const Dataset data = texts(400, 0.3, 11), test = texts(50, 0, 12);
  const auto model = quick_blend(training_data(data));
  EXPECT_THAT(model->state().notes.at("kept"), HasSubstr("ridge regression 0."));
  const std::string bytes = encode_state(model->state(), StateKind::Model);
  const auto read = method_info("blend").load(decode_state(bytes, StateKind::Model, "model"));
  expect_equal(scores_of(*model, test.features), scores_of(*read, test.features));
}

TEST(BlendOfTexts, refuses_a_regression_that_does_not_fit) {
  const auto model = quick_blend(training_data(texts(200, 0.3, 13)));
  for (const char* name : {"rarity", "weights", "offset", "noise_rate"}) {
    ModelState state = model->state();
    const auto tensor =
        std::ranges::find(state.tensors, "ridge/" + std::string(name), &Tensor::name);
    ASSERT_NE(tensor, state.tensors.end()) << name;
    tensor->values[0] = std::numeric_limits<float>::quiet_NaN();
    int code = 0;
    refusal([&] { method_info("blend").load(std::move(state)); }, &code);
    EXPECT_EQ(code, 4) << name;
  }
}

}  // namespace
}  // namespace sieve::test
