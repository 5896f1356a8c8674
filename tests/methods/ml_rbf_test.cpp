#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "labelsieve/prepare.h"
#include "methods/ml_rbf/rbf_model.h"
#include "methods/quick_learner.h"
#include "support/support.h"

namespace sieve {
namespace {

Matrix random_rows(std::size_t rows, std::size_t cols) {
  Matrix x(rows, cols);
  Random random(2, Purpose::Test);
  for (std::size_t i = 0; i < rows; ++i)
    for (float& value : x.row(i)) value = static_cast<float>(random.normal());
  return x;
}

Clusters cluster(const Features& x, std::size_t count, std::size_t threads = 1) {
  ThreadPool pool(threads);
  return k_means(x, count, Random(1, Purpose::Init), pool);
}

std::size_t used(const Clusters& found) {
  return std::set<std::size_t>(found.cluster.begin(), found.cluster.end()).size();
}

TEST(KMeans, inertia_never_rises_and_no_cluster_is_empty) {
  for (const std::size_t count : {1U, 2U, 7U, 60U, 199U, 200U}) {
    const Clusters found = cluster(random_rows(200, 3), count);
    EXPECT_EQ(used(found), count);
    for (std::size_t t = 1; t < found.inertia.size(); ++t)
      EXPECT_LE(found.inertia[t], found.inertia[t - 1] * (1 + 1e-12)) << count;
  }
}

TEST(KMeans, centres_are_the_means_of_their_rows) {
  const Matrix x = random_rows(100, 4);
  const Clusters found = cluster(Features(x.clone()), 5);
  MatrixD sums(5, 4);
  std::vector<double> sizes(5);
  for (std::size_t i = 0; i < x.rows(); ++i) {
    sizes[found.cluster[i]] += 1;
    for (std::size_t j = 0; j < 4; ++j) sums(found.cluster[i], j) += double{x(i, j)};
  }
  for (std::size_t c = 0; c < 5; ++c)
    for (std::size_t j = 0; j < 4; ++j)
      EXPECT_NEAR(found.centres(c, j), sums(c, j) / sizes[c], 1e-12);
}

TEST(KMeans, finds_clusters_that_lie_apart) {
  Matrix x = random_rows(90, 2);
  for (std::size_t i = 0; i < x.rows(); ++i) x(i, 0) += static_cast<float>(100 * (i % 3));
  const Clusters found = cluster(Features(std::move(x)), 3);
  for (std::size_t i = 3; i < 90; ++i) EXPECT_EQ(found.cluster[i], found.cluster[i - 3]);
  EXPECT_EQ(used(found), 3U);
}

TEST(KMeans, more_clusters_than_different_rows_leave_none_empty) {
  Matrix x(6, 2);
  for (std::size_t i = 3; i < 6; ++i) x(i, 0) = 1;
  const Clusters found = cluster(Features(std::move(x)), 5);
  EXPECT_EQ(used(found), 5U);
  EXPECT_EQ(found.inertia.back(), 0);
}

TEST(KMeans, sparse_rows_and_threads_do_not_matter) {
  Matrix x = random_rows(300, 6);
  for (std::size_t i = 0; i < x.rows(); ++i) x(i, i % 6) = 0;
  const Features dense(std::move(x)), sparse(dense.to_sparse());
  const Clusters expected = cluster(dense, 9);
  for (const Clusters& found : {cluster(dense, 9, 3), cluster(sparse, 9), cluster(sparse, 9, 2)}) {
    EXPECT_EQ(found.cluster, expected.cluster);
    EXPECT_EQ(found.inertia, expected.inertia);
  }
}

TrainingData crowd(bool sparse, std::size_t rows = 300) {
  ThreadPool pool(1);
  Dataset data = make_synthetic({.rows = rows, .features = 15, .labels = 6}, pool);
  if (sparse) data.features = data.features.to_sparse();
  return training_data(data);
}

std::unique_ptr<Model> fit(const TrainingData& data,
                           const std::vector<std::pair<std::string, std::string>>& settings = {}) {
  const MethodInfo& method = method_info("ml-rbf");
  Options options(method.options);
  for (const auto& [key, value] : settings) options.set(key, value);
  return method.make(options)->fit(data, {});
}

// What least squares leaves is orthogonal to every function.
TEST(MlRbf, residuals_are_orthogonal_to_the_functions) {
  const TrainingData data = crowd(false);
  const auto model = fit(data);
  ThreadPool pool(1);
  const Matrix scores = model->scores(data.features, pool);
  const ModelState& state = model->state();
  RadialBasis basis;
  const Tensor& centres = state.tensor("centres");
  basis.centres = Matrix(centres.shape[0], centres.shape[1]);
  for (std::size_t c = 0; c < centres.shape[0]; ++c)
    std::copy_n(centres.values.data() + c * centres.shape[1], centres.shape[1],
                basis.centres.row(c).begin());
  basis.width = double{state.tensor("width").values[0]};
  const ScaledRows rows = scaled_rows(data.features, state.scaler);
  const MatrixD phi = RadialFeatures(rows, basis).of(0, data.rows());
  for (std::size_t k = 0; k < data.labels(); ++k)
    for (std::size_t j = 0; j < basis.size(); ++j) {
      double product = 0;
      for (std::size_t i = 0; i < data.rows(); ++i)
        product += phi(i, j) * ((data.candidates.get(i, k) ? 1 : -1) - double{scores(i, k)});
      EXPECT_NEAR(product, 0, 1e-3) << j << " " << k;
    }
}

TEST(MlRbf, the_number_of_centres_is_a_share_of_each_labels_rows) {
  const TrainingData data = crowd(false);
  std::size_t expected = 0;
  for (const std::size_t count : data.candidates.label_counts())
    expected += static_cast<std::size_t>(std::ceil(0.05 * static_cast<double>(count)));
  EXPECT_EQ(fit(data, {{"alpha", "0.05"}})->state().tensor("centres").shape[0], expected);
}

TEST(MlRbf, sparse_and_dense_copies_of_the_same_rows_give_the_same_scores) {
  const TrainingData dense = crowd(false), sparse = crowd(true);
  ThreadPool pool(1);
  const Matrix expected = fit(dense)->scores(dense.features, pool);
  const Matrix scores = fit(sparse)->scores(sparse.features, pool);
  for (std::size_t i = 0; i < scores.rows(); ++i)
    for (std::size_t k = 0; k < scores.cols(); ++k) EXPECT_NEAR(scores(i, k), expected(i, k), 1e-3);
}

TEST(MlRbf, blocks_of_rows_on_any_number_of_threads_give_the_same_bits) {
  const TrainingData data = crowd(true, 700);
  const MethodInfo& method = method_info("ml-rbf");
  std::vector<float> expected;
  for (const std::size_t threads : {1U, 2U, 3U}) {
    ThreadPool pool(threads);
    FitOptions options;
    options.threads = &pool;
    const auto model = method.make(Options(method.options))->fit(data, options);
    const std::vector<float>& weights = model->state().tensor("weights").values;
    if (threads == 1) expected = weights;
    EXPECT_EQ(weights, expected) << threads;
  }
}

TEST(MlRbf, learns_from_rows_that_repeat) {
  TrainingData data = crowd(false, 60);
  std::vector<std::size_t> rows(60);
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = i % 3;
  data.features = data.features.select_rows(rows);
  data.candidates = data.candidates.select_rows(rows);
  ThreadPool pool(1);
  const auto model = fit(data, {{"alpha", "0.5"}});
  EXPECT_TRUE(model->decide(model->scores(data.features, pool)) == data.candidates);
}

TEST(MlRbf, a_centre_on_every_row_fits_the_candidates_exactly) {
  const TrainingData data = crowd(false, 40);
  ThreadPool pool(1);
  const auto model = fit(data, {{"alpha", "1"}, {"mu", "0.3"}});
  EXPECT_TRUE(model->decide(model->scores(data.features, pool)) == data.candidates);
}

TEST(MlRbf, refuses_more_centres_than_memory_can_hold) {
  TrainingData data{Features(random_rows(20000, 2)), LabelMatrix(20000, 2), {"a", "b"}, {"x", "y"}};
  for (std::size_t i = 0; i < data.rows(); ++i)
    for (std::size_t k = 0; k < 2; ++k) data.candidates.set(i, k);
  const MethodInfo& method = method_info("ml-rbf");
  Options options(method.options);
  options.set("alpha", "0.9");
  EXPECT_NE(test::refusal([&] { method.make(options)->fit(data, {}); }).find("alpha"),
            std::string::npos);
}

}  // namespace
}  // namespace sieve
