#include "nn/kernels.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <filesystem>

#include "linalg/compute.h"
#include "linalg/gemm.h"
#include "support/gradient_check.h"

namespace sieve {
namespace {

using test::random_panel;

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
  apply_mask(mask, 2, 2.0F, x.view(2));
  EXPECT_EQ(x(0, 0), 2);
  EXPECT_EQ(x(0, 1), 0);
  EXPECT_EQ(x(0, 2), 2);
  EXPECT_EQ(x(0, 64), 2);
  EXPECT_EQ(x(0, 65), 0);
  EXPECT_EQ(x(1, 69), 2);
}

TEST(BatchNorm, variance_survives_a_large_mean) {
  constexpr std::size_t rows = 100;
  Panel<float> x(rows, 1);
  for (std::size_t i = 0; i < rows; ++i) x(i, 0) = 4096 + static_cast<float>(i % 2);
  Array<float> parts(2 * block_count(rows) * kLane), mean(kLane), variance(kLane);
  for (std::size_t b = 0; b < block_count(rows); ++b) {
    const std::size_t height = std::min(kBlockRows, rows - b * kBlockRows);
    column_moments<float>({x.row(b * kBlockRows), height, 1, kLane}, &parts[2 * b * kLane],
                          &parts[(2 * b + 1) * kLane]);
  }
  combine_moments<float>({parts.data(), block_count(rows), kLane}, rows, mean.data(),
                         variance.data());
  EXPECT_FLOAT_EQ(mean[0], 4096.5F);
  EXPECT_NEAR(variance[0], 0.25, 1e-4);
}

TEST(Gemm, float_agrees_with_the_plain_loop) {
  for (const bool left : {false, true})
    for (const bool right : {false, true})
      for (const bool add : {false, true}) {
        constexpr std::size_t n = 48;
        const Panel<float> a = random_panel<float>(n, n, 1), b = random_panel<float>(n, n, 2);
        const Panel<double> ad = random_panel<double>(n, n, 1), bd = random_panel<double>(n, n, 2);
        Panel<float> c = random_panel<float>(n, n, 3);
        Panel<double> cd = random_panel<double>(n, n, 3);
        gemm<float>(33, 48, 17, {a.row(0), n, left}, {b.row(0), n, right}, add, c.row(0), n);
        gemm<double>(33, 48, 17, {ad.row(0), n, left}, {bd.row(0), n, right}, add, cd.row(0), n);
        for (std::size_t i = 0; i < n; ++i)
          for (std::size_t j = 0; j < n; ++j)
            ASSERT_NEAR(static_cast<double>(c(i, j)), cd(i, j), 1e-5);
      }
}

// Whatever place in memory a block has, and whichever thread works on it.
TEST(Gemm, bits_depend_on_shape_and_numbers_only) {
  constexpr std::size_t rows = 256, n = 80;
  const Panel<float> a = random_panel<float>(rows, n, 1), b = random_panel<float>(n, n, 2);
  Panel<float> repeated(rows, n), together(rows, n);
  for (std::size_t i = 0; i < rows; ++i) std::copy_n(a.row(i % 32), n, repeated.row(i));
  ThreadPool pool(3);
  compute(pool, rows / 32, [&](std::size_t block) {
    gemm<float>(32, n, n, {repeated.row(32 * block), n}, {b.row(0), n}, false,
                together.row(32 * block), n);
  });
  for (std::size_t i = 32; i < rows; ++i)
    for (std::size_t j = 0; j < n; ++j) ASSERT_EQ(together(i, j), together(i % 32, j));
}

std::size_t running_threads() {
  const std::filesystem::directory_iterator tasks("/proc/self/task");
  return static_cast<std::size_t>(std::distance(begin(tasks), end(tasks)));
}

TEST(ComputeScope, keeps_the_library_on_one_thread) {
  constexpr std::size_t n = 512;  // large enough for oneDNN to want more
  const Panel<float> a = random_panel<float>(n, n, 1);
  Panel<float> c(2 * n, n);
  const std::size_t before = running_threads();
  ThreadPool pool(2);
  compute(pool, 2, [&](std::size_t i) {
    gemm<float>(n, n, n, {a.row(0), n}, {a.row(0), n}, false, c.row(i * n), n);
  });
  EXPECT_LE(running_threads(), before + 1);
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
