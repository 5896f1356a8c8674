// Rows that do not all count alike.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "base/random.h"
#include "labelsieve/error.h"
#include "labelsieve/model_io.h"
#include "labelsieve/pipeline.h"
#include "labelsieve/prepare.h"
#include "methods/quick_learner.h"
#include "support/support.h"
#include "support/targets.h"

namespace sieve::test {
namespace {

using ::testing::HasSubstr;

Dataset crowd(std::size_t rows = 200) {
  ThreadPool pool(1);
  return make_synthetic({.rows = rows, .features = 12, .labels = 8, .noise = 1}, pool);
}

// 1, 2, 3, 1, 2, 3, ...
std::vector<double> counts(std::size_t rows, std::size_t most = 3) {
  std::vector<double> weights;
  for (std::size_t i = 0; i < rows; ++i) weights.push_back(1 + static_cast<double>(i % most));
  return weights;
}

std::vector<double> times(std::vector<double> weights, double factor) {
  for (double& weight : weights) weight *= factor;
  return weights;
}

template <class Work>
void expect_refused(const Work& work, Failure kind, const std::string& why) {
  try {
    work();
    ADD_FAILURE() << "not refused: " << why;
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), kind);
    EXPECT_THAT(error.message(), HasSubstr(why));
  }
}

std::string bytes_of(const MethodInfo& method, const TrainingData& data, std::size_t threads = 1) {
  ThreadPool pool(threads);
  FitOptions fit;
  fit.threads = &pool;
  return encode_state(quick_learner(method)->fit(data, fit)->state(), StateKind::Model);
}

std::vector<std::string> methods_that(bool weigh) {
  std::vector<std::string> names;
  for (const MethodInfo& method : all_methods())
    if (method.weighs_rows == weigh) names.push_back(method.name);
  return names;
}

class WeighingMethod : public ::testing::TestWithParam<std::string> {
 protected:
  static const MethodInfo& method() { return method_info(GetParam()); }
};

TEST_P(WeighingMethod, gives_the_same_bits_for_any_threads_and_targets) {
  const Dataset data = crowd();
  const TrainingData rows = with_weights(training_data(data), counts(data.rows()));
  const std::string wanted = bytes_of(method(), rows, 1);
  EXPECT_TRUE(wanted != bytes_of(method(), training_data(data)));
  EXPECT_TRUE(bytes_of(method(), rows, 3) == wanted);
  with_each_target([&](const std::string& name) {
    if (name == "plain") return;  // slow
    EXPECT_TRUE(bytes_of(method(), rows, 2) == wanted) << name;
  });
}

TEST_P(WeighingMethod, goes_by_the_ratios_of_weights_alone) {
  const Dataset data = crowd();
  const std::vector<double> weights = counts(data.rows());
  EXPECT_TRUE(bytes_of(method(), with_weights(training_data(data), times(weights, 0.25))) ==
              bytes_of(method(), with_weights(training_data(data), weights)));
}

TEST_P(WeighingMethod, takes_equal_weights_for_none) {
  const Dataset data = crowd();
  EXPECT_TRUE(
      bytes_of(method(), with_weights(training_data(data), std::vector(data.rows(), 0.7))) ==
      bytes_of(method(), training_data(data)));
}

// Each row is there twice, once with the labels the other way round.
TEST_P(WeighingMethod, believes_heavy_rows) {
  constexpr std::size_t kRows = 300, kLabels = 3;
  Random random(7, Purpose::Test);
  Matrix x(kRows, 4);
  LabelMatrix ticks(kRows, kLabels);
  std::vector<double> weights;
  for (std::size_t i = 0; i < kRows; ++i) {
    const bool contrary = i % 2 == 1;
    for (std::size_t j = 0; j < 4; ++j)
      x(i, j) = contrary ? x(i - 1, j) : static_cast<float>(random.uniform() - 0.5);
    for (std::size_t k = 0; k < kLabels; ++k) ticks.set(i, k, (x(i, k) > 0) != contrary);
    weights.push_back(contrary ? 0.05 : 1);
  }
  Dataset data;
  data.features = Features(std::move(x));
  data.candidates = std::move(ticks);
  data.label_names = {"a", "b", "c"};
  ThreadPool pool(1);
  const std::map<std::string, std::string> settings =
      method().name == "forest" ? std::map<std::string, std::string>{{"trees", "50"}}
      : method().name == "blend"
          ? std::map<std::string, std::string>{{"trees", "50"}, {"width", "16"}, {"epochs", "20"}}
          : std::map<std::string, std::string>{
                {"members", "1"}, {"width", "16"}, {"epochs", "30"}, {"batch", "16"}};
  const TrainingData rows = with_weights(training_data(data), weights);
  const auto model = make_learner(method().name, settings)->fit(rows, {});
  const Matrix scores = model->scores(data.features, pool);
  std::size_t right = 0;
  for (std::size_t i = 0; i < kRows; i += 2)
    for (std::size_t k = 0; k < kLabels; ++k)
      for (std::size_t j = 0; j < kRows; j += 2)
        right +=
            data.candidates.get(i, k) && !data.candidates.get(j, k) && scores(i, k) > scores(j, k)
                ? 1
                : 0;
  std::size_t pairs = 0;
  for (std::size_t k = 0; k < kLabels; ++k) {
    std::size_t on = 0;
    for (std::size_t i = 0; i < kRows; i += 2) on += data.candidates.get(i, k) ? 1 : 0;
    pairs += on * (kRows / 2 - on);
  }
  EXPECT_GT(static_cast<double>(right) / static_cast<double>(pairs), 0.85);
}

INSTANTIATE_TEST_SUITE_P(Methods, WeighingMethod, ::testing::ValuesIn(methods_that(true)),
                         test_name);

class OtherMethod : public ::testing::TestWithParam<std::string> {};

TEST_P(OtherMethod, repeats_rows_by_whole_numbers_and_refuses_others_by_name) {
  const Dataset data = crowd(60);
  const MethodInfo& method = method_info(GetParam());
  const TrainingData rows = with_weights(training_data(data), counts(data.rows()));
  expect_refused([&] { quick_learner(method)->fit(rows, {}); }, Failure::Usage,
                 "cannot weigh rows");
  const std::vector<double> halves(times(counts(data.rows()), 0.5));
  expect_refused([&] { train(data, {.method = GetParam(), .weights = halves}); }, Failure::Usage,
                 GetParam());
}

INSTANTIATE_TEST_SUITE_P(Methods, OtherMethod, ::testing::ValuesIn(methods_that(false)), test_name);

TEST(RowWeights, of_methods_that_cannot_weigh_repeat_rows) {
  const Dataset data = crowd(60);
  const std::vector<double> weights = counts(data.rows());
  const auto repeated = with_rows_repeated(training_data(data), weights);
  ASSERT_TRUE(repeated);
  EXPECT_EQ(repeated->rows(), 120U);
  const auto bytes = [](const Model& model) {
    return encode_state(model.state(), StateKind::Model);
  };
  EXPECT_TRUE(bytes(*train(data, {.method = "pml-ni", .weights = weights}).model) ==
              bytes(*make_learner("pml-ni")->fit(*repeated, {})));
}

class RepeatedRows : public ::testing::TestWithParam<std::size_t> {};

// Trees without a bootstrap sample draw the same features and cuts for rows that stand there twice.
TEST_P(RepeatedRows, grow_the_trees_of_whole_weights) {
  Dataset data = crowd(150);
  Matrix x = data.features.to_dense(std::numeric_limits<std::size_t>::max());
  for (std::size_t i = 0; i < x.rows(); ++i)
    for (float& value : x.row(i)) value = std::round(value * 4);  // few values: the same cuts
  data.features = Features(std::move(x));
  const std::vector<double> weights = counts(data.rows(), GetParam());
  ThreadPool pool(1);
  for (const char* splits : {"extra", "best"}) {
    const auto forest = make_learner(
        "forest", {{"bootstrap", "no"}, {"leaf", "1"}, {"trees", "20"}, {"splits", splits}});
    const Matrix weighed =
        forest->fit(with_weights(training_data(data), weights), {})->scores(data.features, pool);
    const Matrix repeated = forest->fit(*with_rows_repeated(training_data(data), weights), {})
                                ->scores(data.features, pool);
    const Matrix plain = forest->fit(training_data(data), {})->scores(data.features, pool);
    double apart = 0, from_plain = 0;
    for (std::size_t i = 0; i < data.rows(); ++i)
      for (std::size_t k = 0; k < data.labels(); ++k) {
        apart = std::max(apart, std::abs(double{weighed(i, k)} - double{repeated(i, k)}));
        from_plain = std::max(from_plain, std::abs(double{weighed(i, k)} - double{plain(i, k)}));
      }
    EXPECT_LT(apart, 1e-5) << splits;
    EXPECT_GT(from_plain, 1e-3) << splits;
  }
}

INSTANTIATE_TEST_SUITE_P(Weights, RepeatedRows, ::testing::Values(3, 4, 7, 15),
                         [](const auto& test) { return "up_to_" + std::to_string(test.param); });

TEST(RowWeights, rows_are_the_same_wherever_they_stood_and_however_they_are_stored) {
  const Dataset data = crowd(50);
  const std::vector<double> weights = counts(50);
  std::vector<std::size_t> order(50);
  std::iota(order.begin(), order.end(), std::size_t{0});
  Random(3, Purpose::Test).shuffle(std::span(order));
  std::vector<double> moved;
  for (const std::size_t row : order) moved.push_back(weights[row]);
  const TrainingData rows = with_weights(training_data(data), weights);
  Dataset sparse = data.select_rows(order);
  sparse.features = sparse.features.to_sparse();
  const TrainingData again = with_weights(training_data(sparse), moved);
  EXPECT_EQ(*rows.weights, *again.weights);
  const Features dense = again.features.to_dense(std::numeric_limits<std::size_t>::max());
  RowRoom a, b;
  for (std::size_t i = 0; i < 50; ++i)
    EXPECT_TRUE(std::ranges::equal(std::span(rows.features.row(i, a).values, 12),
                                   std::span(dense.row(i, b).values, 12)));
}

TEST(RowWeights, of_zero_leave_rows_out) {
  const Dataset data = crowd(50);
  std::vector<double> weights(50, 2.0);
  for (std::size_t i = 0; i < 50; i += 5) weights[i] = 0;
  const TrainingData rows = with_weights(training_data(data), weights);
  EXPECT_EQ(rows.rows(), 40U);
  EXPECT_EQ(rows.weights, nullptr) << "those that are left count alike";
}

TEST(RowWeights, that_make_no_sense_are_refused) {
  const Dataset data = crowd(4);
  const auto refuses = [&](std::vector<double> weights, const char* why) {
    expect_refused([&] { with_weights(training_data(data), weights); }, Failure::Data, why);
  };
  refuses({1, 1, 1}, "3 weights for 4 rows");
  refuses({1, -1, 1, 1}, "row 2");
  refuses({1, 1, NAN, 1}, "row 3");
  refuses({1, 1, INFINITY, 1}, "row 3");
  refuses({0, 0, 0, 0}, "all weights are 0");
  refuses({1e-300, 1, 1, 1}, "too small");
}

TEST(RowWeights, are_refused_beside_votes) {
  ThreadPool pool(1);
  const Dataset data =
      make_synthetic({.rows = 60, .features = 8, .labels = 8, .noise = 1, .votes = true}, pool);
  const std::vector<double> weights = counts(60);
  expect_refused([&] { train(data, {.method = "forest", .weights = weights}); }, Failure::Usage,
                 "votes");
}

}  // namespace
}  // namespace sieve::test
