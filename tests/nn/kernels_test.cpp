#include "nn/kernels.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <vector>

#include "linalg/compute.h"
#include "support/gradient_check.h"
#include "support/targets.h"

namespace sieve {
namespace {

TEST(Dropout, keeps_the_share_it_says) {
  for (const double rate : {0.5, 0.25, 0.3, 0.9}) {
    const DropoutRate dropout(rate);
    EXPECT_NEAR(dropout.keep(), 1 - rate, 1.0 / 512);
    Random random(1, Purpose::Dropout);
    double on = 0;
    constexpr int words = 20000;
    for (int i = 0; i < words; ++i) on += std::popcount(dropout.draw(random));
    EXPECT_NEAR(on / (64.0 * words), dropout.keep(), 0.002);
  }
  EXPECT_FALSE(DropoutRate(0).active());
}

TEST(Dropout, mask_zeroes_and_scales) {
  Panel<float> x(2, 70);
  for (std::size_t j = 0; j < 70; ++j) x(0, j) = x(1, j) = 1;
  const std::uint64_t mask[] = {0b101, 1, ~std::uint64_t{0}, ~std::uint64_t{0}};
  kernels<float>().apply_mask(mask, 2, 0, 2.0F, x.view(2));
  EXPECT_EQ(x(0, 0), 2);
  EXPECT_EQ(x(0, 1), 0);
  EXPECT_EQ(x(0, 2), 2);
  EXPECT_EQ(x(0, 64), 2);
  EXPECT_EQ(x(0, 65), 0);
  EXPECT_EQ(x(1, 69), 2);
}

// All that the kernels make of the same numbers.
template <class Real>
std::vector<Real> outcome(Activation activation) {
  constexpr std::size_t rows = 37, cols = 83;
  const Kernels<Real>& kernel = kernels<Real>();
  const ActivationRule<Real> rule{activation, Real(0.2), Real(0.5)};
  const auto panel = [](std::uint64_t seed) { return test::random_panel<Real>(rows, cols, seed); };
  Panel<Real> x = panel(1), delta = panel(2), sums = panel(3), features = panel(4),
              gradient = panel(5), values = panel(6), averages = panel(7), first = panel(8),
              second = panel(9);
  const Panel<Real> shift = panel(10), mean = panel(11), factor = panel(12), slope = panel(13);
  Panel<Real> totals(6, cols);
  Array<Real> row_sums(rows);
  const std::vector<std::uint64_t> mask(rows * 2, 0x123456789abcdef0);
  for (std::size_t i = 0; i < rows * second.stride(); ++i) second.row(0)[i] *= second.row(0)[i];
  kernel.activate(rule, x.view(rows), shift.row(0));
  kernel.apply_mask(mask.data(), 2, 0, Real(2), x.view(rows));
  kernel.backward_activation(rule, x.view(rows), delta.view(rows), totals.row(0));
  kernel.column_moments(sums.view(rows), totals.row(1), totals.row(2));
  kernel.column_products(delta.view(rows), sums.view(rows), mean.row(0), totals.row(3));
  kernel.backward_normalisation(
      sums.view(rows), {mean.row(0), factor.row(0), shift.row(0), slope.row(0)}, delta.view(rows));
  kernel.normalise_and_activate(rule, sums.view(rows), mean.row(0), factor.row(0), shift.row(0),
                                sums.view(rows));
  kernel.axpy(Real(0.3), x.row(0), totals.row(4), cols);
  kernel.tanh_features(values.view(rows), shift.row(0), features.view(rows));
  kernel.backward_tanh_features(features.view(rows), gradient.view(rows), row_sums.data());
  kernel.average(Real(0.01), values.row(0), averages.row(0), cols);
  kernel.adam({Real(0.1), Real(0.001), Real(0.01), Real(1.5), Real(1e-8)}, cols, gradient.row(0),
              first.row(0), second.row(0), values.row(0));
  std::vector<Real> all(row_sums.begin(), row_sums.end());
  for (const Panel<Real>* part :
       {&x, &delta, &sums, &features, &gradient, &values, &averages, &first, &second, &totals})
    for (std::size_t i = 0; i < part->rows(); ++i)
      all.insert(all.end(), part->row(i), part->row(i) + cols);
  return all;
}

TEST(Kernels, have_the_same_bits_with_every_target) {
  for (const Activation activation :
       {Activation::Identity, Activation::LeakyRelu, Activation::Tanh}) {
    const std::vector<float> wanted = outcome<float>(activation);
    const std::vector<double> wanted_double = outcome<double>(activation);
    test::with_each_target([&](const std::string& name) {
      EXPECT_EQ(outcome<float>(activation), wanted) << name;
      EXPECT_EQ(outcome<double>(activation), wanted_double) << name;
    });
  }
}

TEST(BatchNorm, variance_survives_a_large_mean) {
  constexpr std::size_t rows = 100;
  Panel<float> x(rows, 1);
  for (std::size_t i = 0; i < rows; ++i) x(i, 0) = 4096 + static_cast<float>(i % 2);
  Array<float> parts(2 * block_count(rows) * kLane), mean(kLane), variance(kLane);
  for (std::size_t b = 0; b < block_count(rows); ++b) {
    const std::size_t height = std::min(kBlockRows, rows - b * kBlockRows);
    kernels<float>().column_moments({x.row(b * kBlockRows), height, 1, kLane},
                                    &parts[2 * b * kLane], &parts[(2 * b + 1) * kLane]);
  }
  combine_moments<float>({parts.data(), block_count(rows), kLane}, rows, mean.data(),
                         variance.data());
  EXPECT_FLOAT_EQ(mean[0], 4096.5F);
  EXPECT_NEAR(variance[0], 0.25, 1e-4);
}

TEST(ComputeScope, flushes_denormals_and_puts_things_back) {
  volatile float tiny = 1e-39F;
  {
    const ComputeScope scope;
    const float flushed = tiny * 0.5F;
    EXPECT_EQ(flushed, 0.0F);
  }
  const float kept = tiny * 0.5F;
  EXPECT_NE(kept, 0.0F);
}

}  // namespace
}  // namespace sieve
