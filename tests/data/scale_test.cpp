#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/random.h"
#include "data/prepare/scaling.h"
#include "labelsieve/prepare.h"
#include "support/support.h"

namespace sieve {
namespace {

using test::refusal;

Features dense_of(std::initializer_list<std::initializer_list<float>> rows) {
  Matrix x(rows.size(), rows.begin()->size());
  std::size_t i = 0;
  for (const auto& row : rows) std::ranges::copy(row, x.row(i++).begin());
  return x;
}

Features random_sparse(std::size_t rows, std::size_t cols) {
  Matrix x(rows, cols);
  for (std::size_t i = 0; i < rows; ++i) {
    Random random(3, Purpose::Test, 0, i);
    for (float& value : x.row(i))
      if (random.chance(0.3)) value = static_cast<float>(random.normal() * 5);
  }
  return Features(std::move(x)).to_sparse();
}

TEST(Scale, min_max_maps_each_feature_to_minus_one_and_one) {
  Features x = dense_of({{0, 7, -4}, {8, 7, 4}, {16, 7, 0}});
  const Scaler scaler = fit_scaler(x, Scaling::MinMax);
  scaler.apply(x);
  EXPECT_TRUE(same_values(x, dense_of({{-1, 0, -1}, {0, 0, 1}, {1, 0, 0}})));
  Features outside = dense_of({{32, 9, 8}});
  scaler.apply(outside);
  EXPECT_TRUE(same_values(outside, dense_of({{3, 0, 2}})));
}

TEST(Scale, standardise_gives_mean_zero_and_variance_one) {
  constexpr std::size_t n = 1000;
  Matrix values(n, 2);
  Random random(1, Purpose::Test);
  for (std::size_t i = 0; i < n; ++i) {
    values(i, 0) = static_cast<float>(1000 + random.normal());
    values(i, 1) = 3;
  }
  Features x(std::move(values));
  fit_scaler(x, Scaling::Standardise).apply(x);
  double sum = 0, squares = 0;
  for (std::size_t i = 0; i < n; ++i) {
    sum += x.dense()(i, 0), squares += std::pow(x.dense()(i, 0), 2);
    EXPECT_EQ(x.dense()(i, 1), 0.0F);
  }
  EXPECT_NEAR(sum / n, 0, 1e-3);
  EXPECT_NEAR(squares / n, 1, 1e-3);
}

TEST(Scale, none_changes_nothing) {
  Features x = dense_of({{1, 2}});
  const Scaler scaler = fit_scaler(x, Scaling::None);
  EXPECT_TRUE(scaler.factor.empty());
  scaler.apply(x);
  EXPECT_TRUE(same_values(x, dense_of({{1, 2}})));
}

TEST(Scale, one_row_becomes_zero) {
  for (const Scaling scaling : {Scaling::MinMax, Scaling::Standardise}) {
    Features x = dense_of({{1, -2, 0}});
    fit_scaler(x, scaling).apply(x);
    EXPECT_TRUE(same_values(x, dense_of({{0, 0, 0}})));
  }
}

TEST(Scale, extreme_numbers_stay_finite) {
  constexpr float most = std::numeric_limits<float>::max();
  constexpr float least = std::numeric_limits<float>::denorm_min();
  for (const Scaling scaling : {Scaling::MinMax, Scaling::Standardise}) {
    Features x = dense_of({{most, 0}, {-most, least}});
    fit_scaler(x, scaling).apply(x);
    EXPECT_NEAR(x.dense()(0, 0), 1, 1e-5);
    EXPECT_NEAR(x.dense()(1, 0), -1, 1e-5);
    EXPECT_EQ(x.dense()(1, 1), 0.0F);
  }
}

TEST(Scale, sparse_features_keep_their_zeros) {
  const Features before = random_sparse(200, 6);
  Features x = before;
  fit_scaler(x, Scaling::MinMax).apply(x);
  ASSERT_TRUE(x.is_sparse());
  EXPECT_EQ(x.nonzeros(), before.nonzeros());
  float most = 0;
  for (const float value : x.sparse().values) most = std::max(most, std::abs(value));
  EXPECT_NEAR(most, 1, 1e-6);
}

TEST(Scale, sparse_and_dense_agree_on_the_deviation) {
  const Features sparse = random_sparse(300, 5);
  const Scaler a = fit_scaler(sparse, Scaling::Standardise);
  const Scaler b = fit_scaler(sparse.to_dense(1 << 20), Scaling::Standardise);
  for (std::size_t j = 0; j < 5; ++j) {
    EXPECT_FLOAT_EQ(a.factor[j], b.factor[j]);
    EXPECT_EQ(a.offset[j], 0.0F);
  }
}

TEST(Scale, a_sparse_feature_unseen_in_training_leaves_the_storage) {
  Features train = Features(dense_of({{1, 0}, {2, 0}})).to_sparse();
  Features test = Features(dense_of({{4, 5}})).to_sparse();
  fit_scaler(train, Scaling::MinMax).apply(test);
  EXPECT_TRUE(same_values(test, dense_of({{2, 0}})));
  EXPECT_EQ(test.nonzeros(), 1U);
}

TEST(Scale, refuses_other_features_than_it_was_fitted_on) {
  const Scaler scaler = fit_scaler(dense_of({{1, 2}, {3, 5}}), Scaling::MinMax);
  int code = 0;
  Features narrow = dense_of({{1}});
  EXPECT_NE(refusal([&] { scaler.apply(narrow); }, &code).find("2 features, but the data has 1"),
            std::string::npos);
  EXPECT_EQ(code, 3);
  Features sparse = Features(dense_of({{1, 2}})).to_sparse();
  EXPECT_NE(refusal([&] { scaler.apply(sparse); }).find("sparse"), std::string::npos);
}

// 40 rows of two features each: one of the first 20, and one that no other row has.
Features words(std::size_t features) {
  CsrMatrix x;
  x.cols = features;
  x.starts.push_back(0);
  for (std::uint32_t i = 0; i < 40; ++i) {
    for (const std::uint32_t column : {i % 20, 100 + i}) x.columns.push_back(column);
    for (int e = 0; e < 2; ++e) x.values.push_back(1);
    x.starts.push_back(x.values.size());
  }
  return Features(std::move(x));
}

TEST(InputScaling, takes_off_the_mean_of_common_features_alone_where_there_are_very_many) {
  // 16 rows hold 32 features: the 20 that are in two rows, and not all of those in one.
  const InputScaling many = fit_input_scaling(words(1025), Centring::Common);
  const InputScaling all = fit_input_scaling(words(1025), Centring::All);
  for (std::size_t j = 0; j < 1025; ++j) EXPECT_EQ(many.mean[j], j < 20 ? all.mean[j] : 0) << j;
  EXPECT_GT(all.mean[100], 0);
  EXPECT_EQ(many.scaler.factor, all.scaler.factor);
}

TEST(InputScaling, takes_off_every_mean_of_few_features_and_of_dense_rows) {
  EXPECT_EQ(fit_input_scaling(words(1024), Centring::Common).mean,
            fit_input_scaling(words(1024), Centring::All).mean);
  const Features dense = words(1025).to_dense(1 << 20);
  EXPECT_EQ(fit_input_scaling(dense, Centring::Common).mean,
            fit_input_scaling(dense, Centring::All).mean);
}

}  // namespace
}  // namespace sieve
