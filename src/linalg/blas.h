#pragma once

#include <cstddef>

#include "base/one_library_thread.h"

namespace sieve {

// While one lives, OpenBLAS stays on the thread that made it.
class BlasScope {
 public:
  BlasScope();

 private:
  OneLibraryThread one_;
};

// A block of a row-major matrix for gemm: op(X) with rows `stride` apart.
struct BlasOperand {
  const double* data;
  std::size_t stride;
  bool transposed = false;
};

// C = op(A) op(B), or C += it, where C is m x n and the shared side is k long. On the calling
// thread.
void gemm(std::size_t m, std::size_t n, std::size_t k, BlasOperand a, BlasOperand b, bool add,
          double* c, std::size_t c_stride);

}  // namespace sieve
