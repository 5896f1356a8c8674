#pragma once

#include <cstddef>

namespace sieve {

// One side of a product, row-major with rows `stride` apart.
template <class Real>
struct Operand {
  const Real* data;
  std::size_t stride;
  bool transposed = false;
};

// c (m x n) = a (m x k) * b (k x n), or c += a * b when `add`. Runs on the calling thread alone;
// the bits depend on the shape and the numbers only. float goes to oneDNN, double to a plain loop
// that is the reference in tests.
template <class Real>
void gemm(std::size_t m, std::size_t n, std::size_t k, Operand<Real> a, Operand<Real> b, bool add,
          Real* c, std::size_t c_stride);

}  // namespace sieve
