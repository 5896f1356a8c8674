#include "nn/losses.h"

#include <gtest/gtest.h>

#include <cmath>

#include "nn/functions.h"
#include "support/gradient_check.h"

namespace sieve {
namespace {

using test::expect_gradient;
using test::random_panel;

constexpr std::size_t kRows = 6, kCols = 4;

template <class Loss>
void check(const Loss& loss) {
  Panel<double> x = random_panel<double>(kRows, kCols, 1), gradient(kRows, kCols),
                other(kRows, kCols);
  loss(x.view(kRows), gradient.view(kRows));
  expect_gradient("loss", [&] { return loss(x.view(kRows), other.view(kRows)); },
                  {x.row(0), kRows * x.stride()}, {gradient.row(0), kRows * x.stride()});
}

TEST(Losses, gradients_are_right) {
  Panel<double> targets = random_panel<double>(kRows, kCols, 2);
  for (std::size_t i = 0; i < kRows; ++i)
    for (std::size_t j = 0; j < kCols; ++j) targets(i, j) = std::abs(targets(i, j));
  using V = View<double>;
  check([&](V x, V g) { return cross_entropy<double>(x, targets.view(kRows), 0.3, g); });
  check([&](V x, V g) { return squared_error<double>(x, targets.view(kRows), 0.3, g); });
  for (const Wish wish : {Wish::Real, Wish::Fake, Wish::NotYetFound})
    check([&](V x, V g) { return adversarial<double>(x, wish, 0.3, g); });
}

TEST(Losses, are_what_their_formulas_say) {
  Panel<double> logit(1, 1), target(1, 1), gradient(1, 1);
  logit(0, 0) = 1.5, target(0, 0) = 0.25;
  const double p = 1 / (1 + std::exp(-1.5));
  EXPECT_NEAR(cross_entropy<double>(logit.view(1), target.view(1), 2, gradient.view(1)),
              -2 * (0.25 * std::log(p) + 0.75 * std::log(1 - p)), 1e-12);
  EXPECT_NEAR(squared_error<double>(logit.view(1), target.view(1), 2, gradient.view(1)),
              2 * 1.25 * 1.25, 1e-12);
  const auto judge = [&](Wish wish) {
    return adversarial<double>(logit.view(1), wish, 1, gradient.view(1));
  };
  EXPECT_NEAR(judge(Wish::Real), -std::log(p), 1e-12);
  EXPECT_NEAR(judge(Wish::Fake), -std::log(1 - p), 1e-12);
  EXPECT_NEAR(judge(Wish::NotYetFound), std::log(1 - p), 1e-12);
}

TEST(Losses, survive_extreme_logits) {
  for (const float extreme : {-1e4F, 1e4F}) {
    Panel<float> logit(1, 1), target(1, 1), gradient(1, 1);
    logit(0, 0) = extreme;
    EXPECT_TRUE(
        std::isfinite(cross_entropy<float>(logit.view(1), target.view(1), 1, gradient.view(1))));
    EXPECT_TRUE(std::isfinite(gradient(0, 0)));
  }
}

TEST(Functions, of_float_are_accurate) {
  for (float x = -20; x < 20; x += 0.0137F) {
    const double exact = static_cast<double>(x);
    EXPECT_NEAR(exponential(x) / std::exp(exact), 1, 3e-7);
    EXPECT_NEAR(sigmoid(x), 1 / (1 + std::exp(-exact)), 2e-7);
    EXPECT_NEAR(hyperbolic_tangent(x), std::tanh(exact), 3e-7);
    EXPECT_NEAR(softplus(x), std::log1p(std::exp(exact)), 2e-6);
  }
}

TEST(Functions, keep_not_a_number) {
  EXPECT_TRUE(std::isnan(sigmoid(std::nanf(""))));
  EXPECT_TRUE(std::isnan(hyperbolic_tangent(std::nanf(""))));
  EXPECT_TRUE(std::isnan(softplus(std::nanf(""))));
}

}  // namespace
}  // namespace sieve
