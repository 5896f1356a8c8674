#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <span>
#include <string_view>

#include "base/random.h"
#include "nn/panel.h"

namespace sieve::test {

// Compares `gradient` with central differences of `loss` in each of `values`, or in a random
// three hundred of them. The error is measured against the largest entry of the gradient.
inline void expect_gradient(std::string_view what, const std::function<double()>& loss,
                            std::span<double> values, std::span<const double> gradient,
                            double tolerance = 1e-6) {
  ASSERT_EQ(values.size(), gradient.size());
  double largest = 1e-12;
  for (const double g : gradient) largest = std::max(largest, std::abs(g));
  Random random(1, Purpose::Test, 77);
  const std::size_t checks = std::min<std::size_t>(values.size(), 300);
  for (std::size_t c = 0; c < checks; ++c) {
    const std::size_t i = checks == values.size() ? c : random.below(values.size());
    if (gradient[i] == 0 && values[i] == 0) continue;  // padding
    const double before = values[i], step = 1e-6;
    values[i] = before + step;
    const double above = loss();
    values[i] = before - step;
    const double below = loss();
    values[i] = before;
    ASSERT_NEAR((above - below) / (2 * step), gradient[i], tolerance * largest + 1e-9)
        << what << ", entry " << i;
  }
}

template <class Real>
Panel<Real> random_panel(std::size_t rows, std::size_t cols, std::uint64_t seed) {
  Panel<Real> panel(rows, cols);
  Random random(seed, Purpose::Test);
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < cols; ++j) panel(i, j) = static_cast<Real>(random.uniform(-1, 1));
  return panel;
}

template <class T>
std::span<T> all(Array<T>& values) {
  return {values.data(), values.size()};
}

}  // namespace sieve::test
