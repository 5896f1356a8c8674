#pragma once

#include <cstdint>
#include <span>

#include "labelsieve/matrix.h"
#include "labelsieve/threads.h"
#include "nn/kernels.h"

namespace sieve {

struct AdamOptions {
  double rate = 1e-3;
  double beta1 = 0.9, beta2 = 0.999;
  double epsilon = 1e-8;
};

// A whole power by repeated squaring: the same bits with every mathematical library.
double whole_power(double base, std::uint64_t exponent);

// What Adam remembers about a buffer of parameters; all of it belongs into a checkpoint.
template <class Real>
struct AdamState {
  AdamState() = default;
  explicit AdamState(std::size_t parameters) : first(parameters), second(parameters) {}

  Array<Real> first, second;  // decaying means of the gradient and of its square
  std::uint64_t step = 0;
};

// One step of Adam (Kingma and Ba, 2015), for callers that go over the buffers themselves, a piece
// at a time and every piece once. Pieces may be worked on by different threads. The references must
// outlive it.
template <class Real>
class AdamStep {
 public:
  AdamStep(const AdamOptions& options, AdamState<Real>& state, std::span<Real> parameters);
  // Moves the parameters [at, at + gradients.size()).
  void move(std::size_t at, std::span<const Real> gradients) const;

 private:
  AdamFactors<Real> factors_;
  Real *first_, *second_, *parameters_;
};

// The parameters [at, at + gradients.size()), a chunk a task.
template <class Real>
void move_chunks(ThreadPool& pool, const AdamStep<Real>& step, std::size_t at,
                 std::span<const Real> gradients);

// A step of the whole buffers.
template <class Real>
void adam_step(ThreadPool& pool, const AdamOptions& options, std::span<const Real> gradients,
               AdamState<Real>& state, std::span<Real> parameters);

// average += rate * (values - average)
template <class Real>
void move_average(ThreadPool& pool, Real rate, std::span<const Real> values,
                  std::span<Real> average);

}  // namespace sieve
