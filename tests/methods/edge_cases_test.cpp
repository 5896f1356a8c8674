#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/random.h"
#include "labelsieve/error.h"
#include "labelsieve/learner.h"
#include "methods/quick_learner.h"
#include "support/support.h"

namespace sieve::test {
namespace {

// Odd data that every method must either learn from or refuse with a clear word.
class OddData : public ::testing::TestWithParam<std::string> {
 protected:
  static TrainingData make(std::size_t rows, std::size_t features, std::size_t labels) {
    TrainingData data;
    Matrix x(rows, features);
    Random random(5, Purpose::Init, 0, 0);
    data.candidates = LabelMatrix(rows, labels);
    for (std::size_t i = 0; i < rows; ++i) {
      for (std::size_t j = 0; j < features; ++j)
        x(i, j) = static_cast<float>(random.uniform()) * 4 - 2;
      for (std::size_t k = 0; k < labels; ++k)
        data.candidates.set(i, k, k == i % labels || random.uniform() < 0.3);
    }
    data.features = std::move(x);
    for (std::size_t k = 0; k < labels; ++k) data.label_names.push_back("l" + std::to_string(k));
    return data;
  }

  static std::unique_ptr<Model> fit(const TrainingData& data) {
    return quick_learner(method_info(GetParam()))->fit(data, FitOptions{});
  }

  static void expect_sensible(const TrainingData& data) {
    const std::unique_ptr<Model> model = fit(data);
    ThreadPool pool(1);
    const Matrix scores = model->scores(data.features, pool);
    const Matrix confidence = model->candidate_probabilities(data, pool);
    ASSERT_EQ(scores.rows(), data.rows());
    ASSERT_EQ(scores.cols(), data.labels());
    EXPECT_EQ(model->decide(scores).rows(), data.rows());
    for (std::size_t i = 0; i < data.rows(); ++i)
      for (std::size_t k = 0; k < data.labels(); ++k) {
        ASSERT_TRUE(std::isfinite(scores(i, k))) << i << " " << k;
        ASSERT_GE(confidence(i, k), 0);
        ASSERT_LE(confidence(i, k), 1);
        if (!data.candidates.get(i, k)) {
          ASSERT_EQ(confidence(i, k), 0);
        }
      }
  }

  static void expect_refused(const TrainingData& data) {
    int code = 0;
    const std::string message = refusal([&] { fit(data); }, &code);
    EXPECT_EQ(code, 3) << message;
  }
};

TEST_P(OddData, few_rows) {
  for (const std::size_t rows : {1U, 2U, 3U, 4U, 5U, 6U}) {
    SCOPED_TRACE(rows);
    expect_sensible(make(rows, 3, 4));
  }
}

TEST_P(OddData, fewer_rows_than_a_batch_and_one_more_than_a_batch) {
  expect_sensible(make(40, 3, 4));
  expect_sensible(make(65, 3, 4));
  expect_sensible(make(82, 3, 4));  // with a fifth held out 65 are left
}

TEST_P(OddData, one_label_and_one_feature) {
  expect_sensible(make(30, 3, 1));
  expect_sensible(make(30, 1, 3));
  expect_sensible(make(30, 1, 1));
}

TEST_P(OddData, a_label_that_is_never_or_always_a_candidate) {
  TrainingData data = make(30, 3, 4);
  for (std::size_t i = 0; i < data.rows(); ++i) {
    data.candidates.set(i, 0, false);
    data.candidates.set(i, 1, true);
  }
  expect_sensible(data);
}

TEST_P(OddData, rows_without_candidates_and_with_all) {
  TrainingData data = make(30, 3, 4);
  for (std::size_t k = 0; k < data.labels(); ++k) {
    for (const std::size_t row : {0U, 7U, 8U, 9U}) data.candidates.set(row, k, false);
    for (const std::size_t row : {1U, 20U}) data.candidates.set(row, k, true);
  }
  expect_sensible(data);
}

TEST_P(OddData, every_label_on_every_row) {
  TrainingData data = make(30, 3, 4);
  for (std::size_t i = 0; i < data.rows(); ++i)
    for (std::size_t k = 0; k < data.labels(); ++k) data.candidates.set(i, k);
  expect_sensible(data);
}

TEST_P(OddData, one_positive_of_a_label_and_one_in_all) {
  TrainingData data = make(30, 3, 4);
  for (std::size_t i = 0; i < data.rows(); ++i) data.candidates.set(i, 2, i == 11);
  expect_sensible(data);
  data.candidates = LabelMatrix(30, 4);
  data.candidates.set(11, 2);
  expect_sensible(data);
}

TEST_P(OddData, every_row_many_times) {
  const TrainingData few = make(4, 3, 4);
  std::vector<std::size_t> again;
  for (std::size_t i = 0; i < 40; ++i) again.push_back(i % 4);
  expect_sensible(few.subset(again));
}

TEST_P(OddData, constant_features) {
  TrainingData data = make(30, 3, 4);
  for (std::size_t i = 0; i < data.rows(); ++i) data.features.dense()(i, 1) = 7;
  expect_sensible(data);
  for (std::size_t i = 0; i < data.rows(); ++i)
    for (std::size_t j = 0; j < 3; ++j) data.features.dense()(i, j) = -3;
  expect_sensible(data);
}

TEST_P(OddData, extreme_features) {
  TrainingData data = make(30, 3, 4);
  for (std::size_t i = 0; i < data.rows(); ++i) {
    data.features.dense()(i, 0) *= 1e37F;
    data.features.dense()(i, 1) *= 1e-37F;
  }
  expect_sensible(data);
}

TEST_P(OddData, sparse_features_some_rows_empty) {
  TrainingData data = make(30, 40, 4);
  for (std::size_t i = 0; i < data.rows(); ++i)
    for (std::size_t j = 0; j < 40; ++j)
      if (i % 5 == 0 || j % 7 != i % 7) data.features.dense()(i, j) = 0;
  data.features = data.features.to_sparse();
  expect_sensible(data);
}

TEST_P(OddData, nothing_to_learn_from_is_refused) {
  expect_refused(make(0, 3, 4));
  expect_refused(make(10, 0, 4));
  expect_refused(make(10, 3, 0));
  TrainingData none = make(10, 3, 4);
  none.candidates = LabelMatrix(10, 4);
  expect_refused(none);
}

TEST_P(OddData, features_that_are_no_numbers_are_refused) {
  for (const float value : {std::nanf(""), HUGE_VALF}) {
    TrainingData data = make(10, 3, 4);
    data.features.dense()(4, 2) = value;
    expect_refused(data);
  }
}

TEST_P(OddData, a_model_refuses_other_features) {
  const std::unique_ptr<Model> model = fit(make(20, 3, 4));
  ThreadPool pool(1);
  int code = 0;
  refusal([&] { model->scores(make(5, 2, 4).features, pool); }, &code);
  EXPECT_EQ(code, 3);
}

INSTANTIATE_TEST_SUITE_P(Methods, OddData, ::testing::ValuesIn(method_names()), test_name);

// Ten times as many labels as rows, most of them rare.
TEST(ManyLabels, more_than_rows_give_numbers) {
  constexpr std::size_t kRows = 400, kLabels = 5000;
  Random random(8, Purpose::Test);
  TrainingData data;
  Matrix x(kRows, 10);
  data.candidates = LabelMatrix(kRows, kLabels);
  for (std::size_t i = 0; i < kRows; ++i) {
    for (float& value : x.row(i)) value = static_cast<float>(random.uniform(-1, 1));
    for (int tick = 0; tick < 20; ++tick) data.candidates.set(i, random.below(kLabels));
  }
  data.features = std::move(x);
  for (std::size_t k = 0; k < kLabels; ++k) data.label_names.push_back(std::to_string(k));
  ThreadPool pool(2);
  FitOptions fit;
  fit.threads = &pool;
  for (const char* method : {"blend", "forest", "mlp"}) {
    const auto model = quick_learner(method_info(method))->fit(data, fit);
    const Matrix scores = model->scores(data.features, pool);
    for (std::size_t i = 0; i < kRows; ++i)
      for (const float score : scores.row(i)) ASSERT_TRUE(score > 0 && score < 1) << method;
    EXPECT_LT(model->decide(scores).count(), kRows * 200) << method;
  }
}

// They keep numbers for pairs of labels.
TEST(ManyLabels, are_refused_with_the_memory_they_would_take) {
  constexpr std::size_t kRows = 20, kLabels = 300000;
  TrainingData data;
  data.features = Matrix(kRows, 3);
  data.candidates = LabelMatrix(kRows, kLabels);
  for (std::size_t i = 0; i < kRows; ++i)
    for (std::size_t k = 0; k < kLabels; ++k)
      if ((i + k) % 2 == 0) data.candidates.set(i, k);
  for (std::size_t k = 0; k < kLabels; ++k) data.label_names.push_back(std::to_string(k));
  for (const char* method : {"particle-vls", "particle-map", "pml-lc", "pml-fp"}) {
    int code = 0;
    const std::string message =
        refusal([&] { quick_learner(method_info(method))->fit(data, FitOptions{}); }, &code);
    EXPECT_EQ(code, 2) << method;
    EXPECT_THAT(message, ::testing::HasSubstr("300000 labels would take")) << method;
    EXPECT_THAT(message, ::testing::HasSubstr(" TB of memory, and this machine has")) << method;
  }
}

}  // namespace
}  // namespace sieve::test
