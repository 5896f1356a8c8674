#include "nn/adam.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace sieve {
namespace {

// The update as it stands in the article, one number at a time.
TEST(Adam, does_what_the_article_says) {
  const AdamOptions options{.rate = 0.01, .beta1 = 0.5, .beta2 = 0.99, .epsilon = 1e-8};
  ThreadPool pool(2);
  constexpr std::size_t size = 40000;  // several chunks
  std::vector<double> values(size, 1.0), gradients(size);
  AdamState<double> state(size);
  double m = 0, v = 0, expected = 1;
  for (int t = 1; t <= 5; ++t) {
    const double g = 0.3 * t - 1;
    for (double& gradient : gradients) gradient = g;
    adam_step<double>(pool, options, gradients, state, values);
    m = 0.5 * m + 0.5 * g, v = 0.99 * v + 0.01 * g * g;
    expected -=
        0.01 * (m / (1 - std::pow(0.5, t))) / (std::sqrt(v / (1 - std::pow(0.99, t))) + 1e-8);
    EXPECT_NEAR(values.front(), expected, 1e-12);
    EXPECT_EQ(values.front(), values.back());
  }
}

TEST(Adam, leaves_padding_alone) {
  ThreadPool pool(1);
  std::vector<float> values(16), gradients(16);
  AdamState<float> state(16);
  adam_step<float>(pool, {}, gradients, state, values);
  EXPECT_EQ(values, gradients);
}

TEST(MoveAverage, moves_by_its_rate) {
  ThreadPool pool(1);
  std::vector<float> average = {0, 4}, values = {1, 2};
  move_average<float>(pool, 0.25F, values, average);
  EXPECT_EQ(average, (std::vector<float>{0.25F, 3.5F}));
}

}  // namespace
}  // namespace sieve
