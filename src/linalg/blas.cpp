#include "linalg/blas.h"

#include <cblas.h>

namespace sieve {

// The build of OpenBLAS with threads of its own knows one number of threads for all.
BlasScope::BlasScope() {
  static const bool told = [] {
    if (openblas_get_parallel() == OPENBLAS_THREAD) openblas_set_num_threads(1);
    return true;
  }();
  static_cast<void>(told);
}

void gemm(std::size_t m, std::size_t n, std::size_t k, BlasOperand a, BlasOperand b, bool add,
          double* c, std::size_t c_stride) {
  if (m == 0 || n == 0) return;
  const BlasScope scope;
  const auto size = [](std::size_t value) { return static_cast<blasint>(value); };
  const auto op = [](const BlasOperand& x) { return x.transposed ? CblasTrans : CblasNoTrans; };
  cblas_dgemm(CblasRowMajor, op(a), op(b), size(m), size(n), size(k), 1.0, a.data, size(a.stride),
              b.data, size(b.stride), add ? 1.0 : 0.0, c, size(c_stride));
}

}  // namespace sieve
