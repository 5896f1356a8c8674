#include "nn/kernels.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/vectorised.h"
#include "nn/functions.h"

namespace sieve {
namespace {

// Calls pass(act), one loop for each activation so that the choice is made outside the loop.
template <class Real, class Pass>
SIEVE_INLINE void with_activation(ActivationRule<Real> rule, Pass pass) {
  const Real slope = rule.slope;
  switch (rule.kind) {
    case Activation::Identity:
      return pass([](Real v) { return v; });
    case Activation::LeakyRelu:
      return pass([slope](Real v) { return std::max(v, slope * v); });
    case Activation::Sigmoid:
      return pass([](Real v) { return sigmoid(v); });
    case Activation::Tanh:
      return pass([](Real v) { return hyperbolic_tangent(v); });
  }
}

// The same for the derivative, as a function of the output.
template <class Real, class Pass>
SIEVE_INLINE void with_derivative(ActivationRule<Real> rule, Pass pass) {
  const Real slope = rule.slope, keep = rule.keep;
  switch (rule.kind) {
    case Activation::Identity:
      return pass([](Real) { return Real(1); });
    case Activation::LeakyRelu:
      return pass([slope](Real y) { return y > 0 ? Real(1) : slope; });
    case Activation::Sigmoid:
      return pass([keep](Real y) { return keep * y * (1 - keep * y); });
    case Activation::Tanh:
      return pass([keep](Real y) { return 1 - keep * y * (keep * y); });
  }
}

// Only the sigmoid of zero is not zero.
template <class Real>
void clear_padding(ActivationRule<Real> rule, View<Real> x) {
  if (rule.kind != Activation::Sigmoid) return;
  for (std::size_t i = 0; i < x.rows; ++i)
    std::fill(x.row(i) + x.cols, x.row(i) + x.stride, Real(0));
}

}  // namespace

template <class Real>
SIEVE_VECTORISED void activate(ActivationRule<Real> rule, View<Real> x, const Real* shift) {
  with_activation(
      rule, [&](auto act) __attribute__((always_inline)) {
        for (std::size_t i = 0; i < x.rows; ++i) {
          Real* row = x.row(i);
          for (std::size_t j = 0; j < x.stride; ++j) row[j] = act(row[j] + shift[j]);
        }
      });
  clear_padding(rule, x);
}

template <class Real>
SIEVE_VECTORISED void normalise_and_activate(ActivationRule<Real> rule, View<const Real> sums,
                                             const Real* mean, const Real* factor,
                                             const Real* shift, View<Real> out) {
  with_activation(
      rule, [&](auto act) __attribute__((always_inline)) {
        for (std::size_t i = 0; i < out.rows; ++i) {
          const Real* x = sums.row(i);
          Real* __restrict y = out.row(i);
          for (std::size_t j = 0; j < out.stride; ++j)
            y[j] = act(factor[j] * (x[j] - mean[j]) + shift[j]);
        }
      });
  clear_padding(rule, out);
}

template <class Real>
SIEVE_VECTORISED void backward_activation(ActivationRule<Real> rule, View<const Real> out,
                                          View<Real> delta, Real* sums) {
  std::fill_n(sums, delta.stride, Real(0));
  with_derivative(
      rule, [&](auto derivative) __attribute__((always_inline)) {
        for (std::size_t i = 0; i < delta.rows; ++i) {
          const Real* y = out.row(i);
          Real* __restrict d = delta.row(i);
          for (std::size_t j = 0; j < delta.stride; ++j) {
            d[j] *= derivative(y[j]);
            sums[j] += d[j];
          }
        }
      });
}

template <class Real>
SIEVE_VECTORISED void column_moments(View<const Real> x, Real* sums, Real* squares) {
  std::fill_n(sums, x.stride, Real(0));
  std::fill_n(squares, x.stride, Real(0));
  for (std::size_t i = 0; i < x.rows; ++i)
    for (std::size_t j = 0; j < x.stride; ++j) sums[j] += x.row(i)[j];
  const Real share = Real(1) / static_cast<Real>(x.rows);
  for (std::size_t i = 0; i < x.rows; ++i)
    for (std::size_t j = 0; j < x.stride; ++j) {
      const Real distance = x.row(i)[j] - share * sums[j];
      squares[j] += distance * distance;
    }
}

template <class Real>
SIEVE_VECTORISED void column_products(View<const Real> delta, View<const Real> x, const Real* mean,
                                      Real* __restrict products) {
  std::fill_n(products, x.stride, Real(0));
  for (std::size_t i = 0; i < x.rows; ++i)
    for (std::size_t j = 0; j < x.stride; ++j)
      products[j] += delta.row(i)[j] * (x.row(i)[j] - mean[j]);
}

template <class Real>
SIEVE_VECTORISED void add_blocks(BlockSums<Real> parts, std::size_t which, Real* total) {
  std::fill_n(total, parts.stride, Real(0));
  for (std::size_t b = 0; b < parts.blocks; ++b) {
    const Real* part = parts.data + (2 * b + which) * parts.stride;
    for (std::size_t j = 0; j < parts.stride; ++j) total[j] += part[j];
  }
}

// Each block's squares are about its own mean; the distance of that mean from the common one is
// added, which loses no digits to a large mean.
template <class Real>
SIEVE_VECTORISED void combine_moments(BlockSums<Real> parts, std::size_t rows, Real* mean,
                                      Real* variance) {
  const Real share = Real(1) / static_cast<Real>(rows);
  add_blocks(parts, 0, mean);
  add_blocks(parts, 1, variance);
  for (std::size_t j = 0; j < parts.stride; ++j) mean[j] *= share;
  for (std::size_t b = 0; b < parts.blocks; ++b) {
    const Real height = static_cast<Real>(std::min(kBlockRows, rows - b * kBlockRows));
    const Real* sums = parts.data + 2 * b * parts.stride;
    for (std::size_t j = 0; j < parts.stride; ++j) {
      const Real distance = sums[j] / height - mean[j];
      variance[j] += height * distance * distance;
    }
  }
  for (std::size_t j = 0; j < parts.stride; ++j) variance[j] *= share;
}

template <class Real>
SIEVE_VECTORISED void backward_normalisation(View<const Real> x, const NormBackward<Real>& norm,
                                             View<Real> delta) {
  const auto [mean, factor, mean_delta, slope] = norm;
  for (std::size_t i = 0; i < delta.rows; ++i) {
    const Real* row = x.row(i);
    Real* __restrict d = delta.row(i);
    for (std::size_t j = 0; j < delta.stride; ++j)
      d[j] = factor[j] * (d[j] - mean_delta[j] - slope[j] * (row[j] - mean[j]));
  }
}

template <class Real>
SIEVE_VECTORISED void scale_columns(const Real* factor, View<Real> delta) {
  for (std::size_t i = 0; i < delta.rows; ++i)
    for (std::size_t j = 0; j < delta.stride; ++j) delta.row(i)[j] *= factor[j];
}

template <class Real>
SIEVE_VECTORISED void axpy(Real a, const Real* x, Real* y, std::size_t n) {
  for (std::size_t j = 0; j < n; ++j) y[j] += a * x[j];
}

DropoutRate::DropoutRate(double rate)
    : kept_(static_cast<unsigned>(std::clamp(std::lround(256 * (1 - rate)), 1L, 256L))) {}

// Reads the binary digits of keep() from the last to the first: a fair bit in front of what is
// there halves the chance (digit 0) or halves it and adds a half (digit 1).
std::uint64_t DropoutRate::draw(Random& random) const {
  std::uint64_t on = 0;
  for (unsigned digit = static_cast<unsigned>(std::countr_zero(kept_)); digit < 8; ++digit) {
    const std::uint64_t fair = random.bits();
    on = (kept_ >> digit) & 1U ? on | fair : on & fair;
  }
  return on;
}

namespace {

// For each byte, its eight bits as numbers.
template <class Real>
constexpr auto kBits = [] {
  std::array<std::array<Real, 8>, 256> table{};
  for (std::size_t byte = 0; byte < 256; ++byte)
    for (std::size_t bit = 0; bit < 8; ++bit) table[byte][bit] = static_cast<Real>(byte >> bit & 1);
  return table;
}();

}  // namespace

template <class Real>
SIEVE_VECTORISED void apply_mask(const std::uint64_t* mask, std::size_t words, Real factor,
                                 View<Real> x) {
  for (std::size_t i = 0; i < x.rows; ++i)
    for (std::size_t j = 0; j < x.stride; j += 8) {
      const std::uint64_t word = mask[i * words + j / 64];
      const auto& bits = kBits<Real>[word >> (j % 64) & 0xff];
      Real* unit = x.row(i) + j;
      for (std::size_t u = 0; u < 8; ++u) unit[u] *= factor * bits[u];
    }
}

#define SIEVE_INSTANTIATE(Real)                                                                  \
  template void activate(ActivationRule<Real>, View<Real>, const Real*);                         \
  template void normalise_and_activate(ActivationRule<Real>, View<const Real>, const Real*,      \
                                       const Real*, const Real*, View<Real>);                    \
  template void backward_activation(ActivationRule<Real>, View<const Real>, View<Real>, Real*);  \
  template void column_moments(View<const Real>, Real*, Real*);                                  \
  template void column_products(View<const Real>, View<const Real>, const Real*, Real*);         \
  template void add_blocks(BlockSums<Real>, std::size_t, Real*);                                 \
  template void combine_moments(BlockSums<Real>, std::size_t, Real*, Real*);                     \
  template void backward_normalisation(View<const Real>, const NormBackward<Real>&, View<Real>); \
  template void scale_columns(const Real*, View<Real>);                                          \
  template void axpy(Real, const Real*, Real*, std::size_t);                                     \
  template void apply_mask(const std::uint64_t*, std::size_t, Real, View<Real>);
SIEVE_INSTANTIATE(float)
SIEVE_INSTANTIATE(double)
#undef SIEVE_INSTANTIATE

}  // namespace sieve
