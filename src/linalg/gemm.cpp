#include "linalg/gemm.h"

#include <dnnl.h>

#include <algorithm>
#include <optional>

#include "labelsieve/error.h"
#include "linalg/compute.h"

namespace sieve {

template <>
void gemm(std::size_t m, std::size_t n, std::size_t k, Operand<float> a, Operand<float> b, bool add,
          float* c, std::size_t c_stride) {
  const auto size = [](std::size_t value) { return static_cast<dnnl_dim_t>(value); };
  std::optional<ComputeScope> scope;
  if (!ComputeScope::here()) scope.emplace();
  const dnnl_status_t status = dnnl_sgemm(
      a.transposed ? 'T' : 'N', b.transposed ? 'T' : 'N', size(m), size(n), size(k), 1.0F, a.data,
      size(a.stride), b.data, size(b.stride), add ? 1.0F : 0.0F, c, size(c_stride));
  if (status == dnnl_out_of_memory) throw std::bad_alloc();
  if (status != dnnl_success) throw Error(Failure::Internal, "oneDNN refused a matrix product");
}

template <>
void gemm(std::size_t m, std::size_t n, std::size_t k, Operand<double> a, Operand<double> b,
          bool add, double* c, std::size_t c_stride) {
  const auto at = [](const Operand<double>& x, std::size_t i, std::size_t j) {
    return x.transposed ? x.data[j * x.stride + i] : x.data[i * x.stride + j];
  };
  for (std::size_t i = 0; i < m; ++i) {
    double* row = c + i * c_stride;
    if (!add) std::fill_n(row, n, 0.0);
    for (std::size_t p = 0; p < k; ++p)
      for (std::size_t j = 0; j < n; ++j) row[j] += at(a, i, p) * at(b, p, j);
  }
}

}  // namespace sieve
