#include "nn/adam.h"

#include <algorithm>
#include <cmath>

#include "linalg/compute.h"

namespace sieve {
namespace {

constexpr std::size_t kChunk = 1 << 14;

// Calls body(first, count) for chunks of a buffer of `size` numbers.
template <class Body>
void for_chunks(ThreadPool& pool, std::size_t size, const Body& body) {
  compute(pool, (size + kChunk - 1) / kChunk, [&](std::size_t chunk) {
    body(chunk * kChunk, std::min(kChunk, size - chunk * kChunk));
  });
}

}  // namespace

double whole_power(double base, std::uint64_t exponent) {
  double result = 1;
  for (; exponent > 0; exponent /= 2, base *= base)
    if (exponent % 2 == 1) result *= base;
  return result;
}

template <class Real>
AdamStep<Real>::AdamStep(const AdamOptions& options, AdamState<Real>& state,
                         std::span<Real> parameters)
    : first_(state.first.data()), second_(state.second.data()), parameters_(parameters.data()) {
  const std::uint64_t steps = ++state.step;
  factors_ = {static_cast<Real>(1 - options.beta1), static_cast<Real>(1 - options.beta2),
              static_cast<Real>(options.rate / (1 - whole_power(options.beta1, steps))),
              static_cast<Real>(1 / std::sqrt(1 - whole_power(options.beta2, steps))),
              static_cast<Real>(options.epsilon)};
}

template <class Real>
void AdamStep<Real>::move(std::size_t at, std::span<const Real> gradients) const {
  kernels<Real>().adam(factors_, gradients.size(), gradients.data(), first_ + at, second_ + at,
                       parameters_ + at);
}

template <class Real>
void move_chunks(ThreadPool& pool, const AdamStep<Real>& step, std::size_t at,
                 std::span<const Real> gradients) {
  for_chunks(pool, gradients.size(), [&](std::size_t first, std::size_t n) {
    step.move(at + first, gradients.subspan(first, n));
  });
}

template <class Real>
void adam_step(ThreadPool& pool, const AdamOptions& options, std::span<const Real> gradients,
               AdamState<Real>& state, std::span<Real> parameters) {
  const AdamStep<Real> step(options, state, parameters);
  move_chunks(pool, step, 0, gradients.first(parameters.size()));
}

template <class Real>
void move_average(ThreadPool& pool, Real rate, std::span<const Real> values,
                  std::span<Real> average) {
  for_chunks(pool, average.size(), [&](std::size_t at, std::size_t n) {
    kernels<Real>().average(rate, values.data() + at, average.data() + at, n);
  });
}

template class AdamStep<float>;
template class AdamStep<double>;
template void move_chunks(ThreadPool&, const AdamStep<float>&, std::size_t, std::span<const float>);
template void move_chunks(ThreadPool&, const AdamStep<double>&, std::size_t,
                          std::span<const double>);
template void adam_step(ThreadPool&, const AdamOptions&, std::span<const float>, AdamState<float>&,
                        std::span<float>);
template void adam_step(ThreadPool&, const AdamOptions&, std::span<const double>,
                        AdamState<double>&, std::span<double>);
template void move_average(ThreadPool&, float, std::span<const float>, std::span<float>);
template void move_average(ThreadPool&, double, std::span<const double>, std::span<double>);

}  // namespace sieve
