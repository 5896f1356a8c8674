#include "nn/adam.h"

#include <algorithm>
#include <cmath>

#include "base/vectorised.h"
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

template <class Real>
SIEVE_VECTORISED void adam_chunk(typename AdamStep<Real>::Factors f, std::size_t n,
                                 const Real* gradient, Real* __restrict first,
                                 Real* __restrict second, Real* __restrict value) {
  for (std::size_t i = 0; i < n; ++i) {
    const Real g = gradient[i];
    first[i] += f.decay1 * (g - first[i]);
    second[i] += f.decay2 * (g * g - second[i]);
    value[i] -= f.rate * first[i] / (std::sqrt(second[i]) * f.correct2 + f.epsilon);
  }
}

}  // namespace

template <class Real>
AdamStep<Real>::AdamStep(const AdamOptions& options, AdamState<Real>& state,
                         std::span<Real> parameters)
    : first_(state.first.data()), second_(state.second.data()), parameters_(parameters.data()) {
  const double steps = static_cast<double>(++state.step);
  factors_ = {static_cast<Real>(1 - options.beta1), static_cast<Real>(1 - options.beta2),
              static_cast<Real>(options.rate / (1 - std::pow(options.beta1, steps))),
              static_cast<Real>(1 / std::sqrt(1 - std::pow(options.beta2, steps))),
              static_cast<Real>(options.epsilon)};
}

template <class Real>
void AdamStep<Real>::move(std::size_t at, std::span<const Real> gradients) const {
  adam_chunk<Real>(factors_, gradients.size(), gradients.data(), first_ + at, second_ + at,
                   parameters_ + at);
}

template <class Real>
void adam_step(ThreadPool& pool, const AdamOptions& options, std::span<const Real> gradients,
               AdamState<Real>& state, std::span<Real> parameters) {
  const AdamStep<Real> step(options, state, parameters);
  for_chunks(pool, parameters.size(),
             [&](std::size_t at, std::size_t n) { step.move(at, gradients.subspan(at, n)); });
}

template <class Real>
void move_average(ThreadPool& pool, Real rate, std::span<const Real> values,
                  std::span<Real> average) {
  for_chunks(pool, average.size(), [&](std::size_t at, std::size_t n) {
    for (std::size_t i = at; i < at + n; ++i) average[i] += rate * (values[i] - average[i]);
  });
}

template class AdamStep<float>;
template class AdamStep<double>;
template void adam_step(ThreadPool&, const AdamOptions&, std::span<const float>, AdamState<float>&,
                        std::span<float>);
template void adam_step(ThreadPool&, const AdamOptions&, std::span<const double>,
                        AdamState<double>&, std::span<double>);
template void move_average(ThreadPool&, float, std::span<const float>, std::span<float>);
template void move_average(ThreadPool&, double, std::span<const double>, std::span<double>);

}  // namespace sieve
