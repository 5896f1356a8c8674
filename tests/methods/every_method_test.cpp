// What holds for any method, and so for those to come.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <set>

#include "labelsieve/model_io.h"
#include "labelsieve/prepare.h"
#include "methods/quick_learner.h"
#include "support/support.h"
#include "support/targets.h"

namespace sieve::test {
namespace {

class EveryMethod : public ::testing::TestWithParam<std::string> {
 protected:
  static Dataset crowd() {
    ThreadPool pool(1);
    return make_synthetic({.rows = 200, .features = 20, .labels = 6}, pool);
  }
  static const MethodInfo& method() { return method_info(GetParam()); }
  static std::string model_bytes(const TrainingData& data, std::size_t threads) {
    ThreadPool pool(threads);
    FitOptions fit;
    fit.threads = &pool;
    return encode_state(quick_learner(method())->fit(data, fit)->state(), StateKind::Model);
  }
  static void expect_equal(const Matrix& a, const Matrix& b) {
    ASSERT_EQ(a.rows(), b.rows());
    for (std::size_t i = 0; i < a.rows(); ++i)
      EXPECT_TRUE(std::ranges::equal(a.row(i), b.row(i))) << i;
  }
};

TEST_P(EveryMethod, gives_the_same_bits_for_any_number_of_threads) {
  const TrainingData data = training_data(crowd());
  const std::string one = model_bytes(data, 1);
  for (const std::size_t threads : {2U, 3U, 8U})
    EXPECT_EQ(model_bytes(data, threads), one) << threads;
}

// On one machine, what is not ours (LAPACK) being the same.
TEST_P(EveryMethod, gives_the_same_bits_with_every_target) {
  const TrainingData data = training_data(crowd());
  const std::string wanted = model_bytes(data, 2);
  with_each_target([&](const std::string& name) {
    if (name == "plain") return;  // slow
    EXPECT_EQ(model_bytes(data, 2), wanted) << name;
  });
}

// The scores of all rows, asked for `height` rows at a time.
Matrix scores_in_chunks(const Model& model, const Features& x, std::size_t height,
                        std::size_t threads) {
  ThreadPool pool(threads);
  Matrix out(x.rows(), model.state().label_names.size());
  for (std::size_t first = 0; first < x.rows(); first += height) {
    std::vector<std::size_t> rows(std::min(height, x.rows() - first));
    std::iota(rows.begin(), rows.end(), first);
    const Matrix some = model.scores(x.select_rows(rows), pool);
    for (std::size_t i = 0; i < rows.size(); ++i)
      std::ranges::copy(some.row(i), out.row(first + i).begin());
  }
  return out;
}

TEST_P(EveryMethod, a_row_has_its_scores_whatever_stands_around_it) {
  const Dataset data = crowd();
  const auto model = quick_learner(method())->fit(training_data(data), {});
  const Features sparse = data.features.to_sparse();
  const Matrix wanted = scores_in_chunks(*model, data.features, data.rows(), 1);
  for (const std::size_t height : {std::size_t{1}, std::size_t{7}, std::size_t{100}, data.rows()})
    for (const std::size_t threads : {1U, 2U, 5U}) {
      SCOPED_TRACE(std::to_string(height) + " rows, " + std::to_string(threads) + " threads");
      expect_equal(scores_in_chunks(*model, data.features, height, threads), wanted);
      expect_equal(scores_in_chunks(*model, sparse, height, threads), wanted);
    }
  with_each_target([&](const std::string& name) {
    SCOPED_TRACE(name);
    expect_equal(scores_in_chunks(*model, data.features, 100, 2), wanted);
  });
}

TEST_P(EveryMethod, a_fit_of_some_rows_is_that_of_a_copy_of_them) {
  const Dataset dense = crowd();
  std::vector<std::size_t> rows, some;
  for (std::size_t i = 1; i < dense.rows(); i += 1 + i % 3) rows.push_back(dense.rows() - 1 - i);
  for (std::size_t i = 0; i < rows.size(); i += 1 + (i % 4 == 0)) some.push_back(i);
  for (const Dataset& data : {dense.clone(), thinned(dense.clone())}) {
    const TrainingData picked = training_data(data).subset(rows).subset(some);
    const Dataset copied = data.select_rows(rows).select_rows(some);
    EXPECT_EQ(model_bytes(picked, 2), model_bytes(training_data(copied), 2));
    const auto model = quick_learner(method())->fit(picked, {});
    ThreadPool pool(2);
    expect_equal(model->scores(picked.features, pool), model->scores(copied.features, pool));
    expect_equal(model->candidate_probabilities(picked, pool),
                 model->candidate_probabilities(training_data(copied), pool));
  }
}

// Rows of which one number in `of` is not 0.
Dataset one_in(std::size_t of, Dataset data) {
  Matrix& x = data.features.dense();
  for (std::size_t i = 0; i < x.rows(); ++i)
    for (std::size_t j = 0; j < x.cols(); ++j)
      if ((i + j) % of != 0) x(i, j) = 0;
  return data;
}

// All that one may call the same numbers: full rows, sparse rows, and sparse rows that hold zeros.
TEST_P(EveryMethod, learns_the_same_whatever_the_numbers_are_stored_in) {
  for (const std::size_t of : {1U, 3U, 5U, 12U}) {
    SCOPED_TRACE("one in " + std::to_string(of));
    const Dataset data = one_in(of, crowd());
    const std::size_t rows = data.rows(), cols = data.features.cols();
    std::vector<double> values;
    std::vector<std::int64_t> starts = {0}, columns;
    for (std::size_t i = 0; i < rows; ++i) {
      for (std::size_t j = 0; j < cols; ++j) {
        values.push_back(double{data.features.dense()(i, j)});
        columns.push_back(static_cast<std::int64_t>(j));
      }
      starts.push_back(static_cast<std::int64_t>(values.size()));
    }
    TrainingData from = training_data(data);
    const std::string wanted = model_bytes(from, 2);
    const auto model = quick_learner(method())->fit(from, {});
    ThreadPool pool(2);
    const Matrix scores = model->scores(data.features, pool);
    for (const Features& other :
         {Features(data.features.to_sparse()), view_dense(values.data(), rows, cols, cols),
          view_sparse<double, std::int64_t>(cols, starts, columns, values)}) {
      from.features = other;
      EXPECT_EQ(model_bytes(from, 2), wanted);
      expect_equal(model->scores(other, pool), scores);
      expect_equal(model->candidate_probabilities(from, pool),
                   model->candidate_probabilities(training_data(data), pool));
    }
  }
}

// Features are small here, so that others are far too large for the scaling. Trees and kernels have
// an answer for such a row.
TEST_P(EveryMethod, refuses_a_row_for_which_it_has_no_finite_scores) {
  Dataset data = crowd();
  for (std::size_t i = 0; i < data.rows(); ++i)
    for (float& value : data.features.dense().row(i)) value *= 1e-3F;
  const auto model = quick_learner(method())->fit(training_data(data), {});
  ThreadPool pool(2);
  Matrix x = data.features.dense().clone();
  for (std::size_t j = 0; j < x.cols(); ++j) x(6, j) = j % 2 == 1 ? -3e38F : 3e38F;
  data.features = std::move(x);
  for (const bool judges : {false, true}) {
    Matrix said;
    int code = 0;
    const std::string message = refusal(
        [&] {
          said = judges ? model->candidate_probabilities(training_data(data), pool)
                        : model->scores(data.features, pool);
        },
        &code);
    for (std::size_t i = 0; i < said.rows(); ++i)
      for (const float value : said.row(i)) ASSERT_TRUE(std::isfinite(value)) << i;
    if (message.empty()) continue;
    EXPECT_EQ(code, 3);
    EXPECT_THAT(message, ::testing::HasSubstr(
                             "row 7 (counting from 1): the model has no finite scores for it"));
    EXPECT_THAT(message, ::testing::HasSubstr("feature 1 is 3e+38"));
  }
  const std::set<std::string> finite = {"blend",  "capml",        "forest",
                                        "ml-rbf", "particle-map", "particle-vls"};
  EXPECT_EQ(finite.contains(GetParam()),
            refusal([&] { model->scores(data.features, pool); }).empty());
}

TEST_P(EveryMethod, refuses_no_rows_instead_of_taking_all) {
  int code = 0;
  const std::string message =
      refusal([] { quick_learner(method())->fit(training_data(crowd()).subset({}), {}); }, &code);
  EXPECT_EQ(code, 3);
  EXPECT_THAT(message, ::testing::HasSubstr("nothing to learn from"));
}

TEST_P(EveryMethod, refuses_features_and_candidates_of_different_rows) {
  TrainingData data = training_data(crowd());
  data.candidates = data.candidates.select_rows(std::vector<std::size_t>{0, 1, 2});
  int code = 0;
  const std::string message = refusal([&] { quick_learner(method())->fit(data, {}); }, &code);
  EXPECT_EQ(code, 3);
  EXPECT_THAT(message, ::testing::HasSubstr("features of 200 rows, but candidates of 3"));
}

// The same bits as from numbers of our own.
TEST_P(EveryMethod, learns_from_a_callers_buffers_without_writing_to_them) {
  const auto expect_same = [](const Dataset& own, const Features& outer) {
    TrainingData data = training_data(own);
    const auto wanted = quick_learner(method())->fit(data, {});
    data.features = outer;
    const auto model = quick_learner(method())->fit(data, {});
    EXPECT_EQ(encode_state(model->state(), StateKind::Model),
              encode_state(wanted->state(), StateKind::Model));
    ThreadPool pool(2);
    expect_equal(model->scores(outer, pool), wanted->scores(own.features, pool));
    expect_equal(model->candidate_probabilities(data, pool),
                 wanted->candidate_probabilities(training_data(own), pool));
  };
  const Dataset dense = crowd(), sparse = thinned(dense.clone());
  const std::size_t cols = dense.features.cols(), stride = cols + 3;
  std::vector<double> wide(dense.rows() * stride, std::nan(""));
  for (std::size_t i = 0; i < dense.rows(); ++i)
    std::ranges::copy(dense.features.dense().row(i), wide.data() + i * stride);
  const std::vector<double> wide_before = wide;
  expect_same(dense, view_dense(wide.data(), dense.rows(), cols, stride));
  EXPECT_EQ(std::memcmp(wide.data(), wide_before.data(), wide.size() * sizeof(double)), 0);

  const CsrMatrix& rows = sparse.features.sparse();
  const std::vector<std::int64_t> starts(rows.starts.begin(), rows.starts.end()),
      columns(rows.columns.begin(), rows.columns.end());
  const std::vector<double> values(rows.values.begin(), rows.values.end());
  const std::vector<double> values_before = values;
  expect_same(sparse, view_sparse<double, std::int64_t>(cols, starts, columns, values));
  EXPECT_EQ(values, values_before);
}

TEST_P(EveryMethod, can_not_see_the_truth) {
  const Dataset with_truth = crowd();
  Dataset without = with_truth.clone();
  without.truth.reset();
  EXPECT_EQ(model_bytes(training_data(with_truth), 2), model_bytes(training_data(without), 2));
}

TEST_P(EveryMethod, predicts_the_same_bits_once_saved) {
  const Dataset data = crowd();
  ThreadPool pool(2);
  const auto model = quick_learner(method())->fit(training_data(data), {});
  const std::string bytes = encode_state(model->state(), StateKind::Model);
  const auto loaded = method().load(decode_state(bytes, StateKind::Model, "memory"));
  const Matrix scores = model->scores(data.features, pool);
  expect_equal(loaded->scores(data.features, pool), scores);
  EXPECT_TRUE(loaded->decide(scores) == model->decide(scores));
  expect_equal(loaded->candidate_probabilities(training_data(data), pool),
               model->candidate_probabilities(training_data(data), pool));
}

TEST_P(EveryMethod, gives_probabilities_that_rise_with_its_scores) {
  const Dataset data = crowd();
  ThreadPool pool(2);
  const auto model = quick_learner(method())->fit(training_data(data), {});
  const Matrix scores = model->scores(data.features, pool);
  const Matrix found = model->probabilities(data.features, pool);
  expect_equal(found, model->probabilities(scores.clone()));
  std::vector<std::pair<float, float>> cells;
  for (std::size_t i = 0; i < scores.rows(); ++i)
    for (std::size_t k = 0; k < scores.cols(); ++k) {
      EXPECT_GT(found(i, k), 0.0F);
      EXPECT_LT(found(i, k), 1.0F);
      cells.emplace_back(scores(i, k), found(i, k));
    }
  std::ranges::sort(cells);
  EXPECT_TRUE(std::ranges::is_sorted(cells, {}, &std::pair<float, float>::second));
  EXPECT_LT(cells.front().second, cells.back().second);
}

TEST_P(EveryMethod, refuses_a_state_with_a_tensor_of_another_size) {
  const auto model = quick_learner(method())->fit(training_data(crowd()), {});
  for (std::size_t t = 0; t < model->state().tensors.size(); ++t) {
    ModelState cut = model->state();
    cut.tensors[t].shape = {3};
    cut.tensors[t].values = {1, 2, 3};
    int code = 0;
    const std::string message = refusal([&] { method().load(std::move(cut)); }, &code);
    EXPECT_EQ(code, 4) << model->state().tensors[t].name << ": " << message;
  }
}

class Stopped final : public Progress {
 public:
  bool stop_requested() const override { return true; }
};

TEST_P(EveryMethod, ends_when_asked_to) {
  Stopped stop;
  FitOptions fit;
  fit.progress = &stop;
  int code = 0;
  refusal([&] { quick_learner(method())->fit(training_data(crowd()), fit); }, &code);
  EXPECT_EQ(code, 7);
}

INSTANTIATE_TEST_SUITE_P(Methods, EveryMethod, ::testing::ValuesIn(method_names()), test_name);

}  // namespace
}  // namespace sieve::test
