#pragma once

#include <cstddef>
#include <cstdint>

#include "base/random.h"
#include "nn/panel.h"

// The elementwise work of the networks on a block of rows, which the caller keeps small enough to
// stay in the cache. All loops run over the padding too, except where that would not stay zero.
namespace sieve {

// Rows are worked on in blocks of this height: a fixed number, so that no result depends on the
// number of threads, and small, so that a block's activations stay in the innermost cache.
constexpr std::size_t kBlockRows = 32;

constexpr std::size_t block_count(std::size_t rows) {
  return (rows + kBlockRows - 1) / kBlockRows;
}

enum class Activation { Identity, LeakyRelu, Tanh };

// An activation and its constants. `keep` is the share of units that dropout left on: outputs were
// divided by it, which the derivative has to undo.
template <class Real>
struct ActivationRule {
  Activation kind;
  Real slope;
  Real keep = 1;
};

// delta = factor * (delta - mean_delta - slope * (x - mean)): back through batch statistics.
template <class Real>
struct NormBackward {
  const Real *mean, *factor, *mean_delta, *slope;
};

// What a step of Adam multiplies with.
template <class Real>
struct AdamFactors {
  Real decay1, decay2;  // 1 - beta
  Real rate;            // with the correction for the zero start of the first mean
  Real correct2;        // the same for the second, on the square root's side
  Real epsilon;
};

// Steps of Adam and of an average, all without a gradient, at once: see LazyRows.
template <class Real>
struct MissedSteps {
  Real decay1, decay2;  // what is left of the two means
  Real drift;           // of a value, in units of first / (sqrt(second) + epsilon)
  Real epsilon;
  Real keep;  // of the distance of the average from the value
  Real lag;   // of the average, in the same units
};

// The kernels for the processor's vectors. Rows are as wide as View::width(); every sum over rows
// is one chain from the first row to the last, so that the bits do not depend on the processor.
template <class Real>
struct Kernels {
  // x = act(x + shift)
  void (*activate)(ActivationRule<Real> rule, View<Real> x, const Real* shift);
  // out = act(factor * (sums - mean) + shift)
  void (*normalise_and_activate)(ActivationRule<Real> rule, View<const Real> sums, const Real* mean,
                                 const Real* factor, const Real* shift, View<Real> out);
  // delta = delta * act'(out), and sums = the columns of delta summed.
  void (*backward_activation)(ActivationRule<Real> rule, View<const Real> out, View<Real> delta,
                              Real* sums);
  // sums = the columns of x summed; squares = squared distances from the block's own column mean.
  void (*column_moments)(View<const Real> x, Real* sums, Real* squares);
  // products = the columns of delta * (x - mean) summed.
  void (*column_products)(View<const Real> delta, View<const Real> x, const Real* mean,
                          Real* products);
  void (*backward_normalisation)(View<const Real> x, const NormBackward<Real>& norm,
                                 View<Real> delta);
  // y += a * x, n entries.
  void (*axpy)(Real a, const Real* x, Real* y, std::size_t n);
  // Zeroes the units whose bit is off and multiplies the others by `factor`. Row i of the mask is
  // the `words` words from mask + i * words; the first column has the bit `first`, a multiple
  // of 16.
  void (*apply_mask)(const std::uint64_t* mask, std::size_t words, std::size_t first, Real factor,
                     View<Real> x);
  // x = tanh(sums + shift), one shift for each row. Here and below columns may be any number.
  void (*tanh_features)(View<const Real> sums, const Real* shift, View<Real> x);
  // gradient = gradient * (1 - x^2), for x = tanh(...); the sum of each row is added to `sums`.
  void (*backward_tanh_features)(View<const Real> x, View<Real> gradient, Real* sums);
  // One step of Adam on n parameters.
  void (*adam)(const AdamFactors<Real>& factors, std::size_t n, const Real* gradient, Real* first,
               Real* second, Real* value);
  // Makes up for missed steps on n parameters: first the values, then the means and the average,
  // if there is one.
  void (*drift)(const MissedSteps<Real>& missed, std::size_t n, const Real* first,
                const Real* second, Real* value);
  void (*catch_up)(const MissedSteps<Real>& missed, std::size_t n, const Real* value, Real* first,
                   Real* second, Real* average);
  // average += rate * (values - average), n entries.
  void (*average)(Real rate, const Real* values, Real* average, std::size_t n);
};

template <class Real>
const Kernels<Real>& kernels();

template <class Real>
void axpy(Real a, const Real* x, Real* y, std::size_t n) {
  kernels<Real>().axpy(a, x, y, n);
}

// What a layer leaves for each block of rows: two rows of sums, `stride` entries each.
template <class Real>
struct BlockSums {
  const Real* data;
  std::size_t blocks, stride;
};

// total = the first (which = 0) or second rows of all blocks summed, in the order of the blocks.
template <class Real>
void add_blocks(BlockSums<Real> parts, std::size_t which, Real* total);

// Mean and variance of `rows` rows in blocks of kBlockRows, from the column_moments of the blocks.
template <class Real>
void combine_moments(BlockSums<Real> parts, std::size_t rows, Real* mean, Real* variance);

// A dropout rate as a fraction of 256, so that 64 units are drawn at once with a few words of
// random bits: one for 1/2, two for 1/4, at most eight. The share that is kept is exactly keep().
class DropoutRate {
 public:
  explicit DropoutRate(double rate);
  bool active() const { return kept_ < 256; }
  double keep() const { return kept_ / 256.0; }
  // 64 units; a set bit is a unit that stays on.
  std::uint64_t draw(Random& random) const;

 private:
  unsigned kept_;
};

}  // namespace sieve
