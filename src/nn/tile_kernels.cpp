#include "nn/tile_kernels.h"

#include "base/vectorised.h"
#include "nn/functions.h"

namespace sieve {

template <class Real>
SIEVE_VECTORISED void tanh_features(View<const Real> sums, const Real* shift, View<Real> x) {
  for (std::size_t i = 0; i < x.rows; ++i) {
    const Real* from = sums.row(i);
    Real* __restrict to = x.row(i);
    const Real by = shift[i];
    for (std::size_t j = 0; j < x.cols; ++j) to[j] = hyperbolic_tangent(from[j] + by);
  }
}

template <class Real>
SIEVE_VECTORISED void backward_tanh_features(View<const Real> x, View<Real> gradient, Real* sums) {
  for (std::size_t i = 0; i < x.rows; ++i) {
    const Real* y = x.row(i);
    Real* __restrict g = gradient.row(i);
    Real lanes[kLane] = {};  // so many sums side by side, which vectors can add to
    std::size_t j = 0;
    for (; j + kLane <= x.cols; j += kLane)
      for (std::size_t u = 0; u < kLane; ++u) {
        g[j + u] *= 1 - y[j + u] * y[j + u];
        lanes[u] += g[j + u];
      }
    for (; j < x.cols; ++j) {
      g[j] *= 1 - y[j] * y[j];
      lanes[0] += g[j];
    }
    for (const Real lane : lanes) sums[i] += lane;
  }
}

#define SIEVE_INSTANTIATE(Real)                                           \
  template void tanh_features(View<const Real>, const Real*, View<Real>); \
  template void backward_tanh_features(View<const Real>, View<Real>, Real*);
SIEVE_INSTANTIATE(float)
SIEVE_INSTANTIATE(double)
#undef SIEVE_INSTANTIATE

}  // namespace sieve
