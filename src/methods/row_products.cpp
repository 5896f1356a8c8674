#include "methods/row_products.h"

#include "base/vectorised.h"

namespace sieve {
namespace {

constexpr std::size_t kWide = 8;

// The entries of a row: all columns where `columns` is null.
struct Entries {
  const std::uint32_t* columns;
  const float* values;
  std::size_t count;
};

Entries entries_of(const Features& x, std::size_t row) {
  if (x.is_sparse()) {
    const CsrMatrix::Row sparse = x.sparse().row(row);
    return {sparse.columns.data(), sparse.values.data(), sparse.values.size()};
  }
  return {nullptr, x.dense().row(row).data(), x.cols()};
}

SIEVE_VECTORISED void times(Entries x, const double* w, std::size_t stride, std::size_t cols,
                            double* out) {
  for (std::size_t first = 0; first < cols; first += kWide) {
    double sum[kWide] = {};
    for (std::size_t e = 0; e < x.count; ++e) {
      const double value = x.values[e];
      const double* from = w + (x.columns != nullptr ? x.columns[e] : e) * stride + first;
      for (std::size_t c = 0; c < kWide; ++c) sum[c] += value * from[c];
    }
    for (std::size_t c = 0; c < kWide; ++c) out[first + c] = sum[c];
  }
}

SIEVE_VECTORISED void add(Entries x, const double* delta, double* w, std::size_t stride,
                          std::size_t cols) {
  for (std::size_t first = 0; first < cols; first += kWide) {
    double by[kWide];
    for (std::size_t c = 0; c < kWide; ++c) by[c] = delta[first + c];
    for (std::size_t e = 0; e < x.count; ++e) {
      const double value = x.values[e];
      double* to = w + (x.columns != nullptr ? x.columns[e] : e) * stride + first;
      for (std::size_t c = 0; c < kWide; ++c) to[c] += value * by[c];
    }
  }
}

}  // namespace

void row_times(const Features& x, std::size_t row, const MatrixD& w, std::span<double> out) {
  times(entries_of(x, row), w.data(), w.stride(), w.cols(), out.data());
}

void add_outer(const Features& x, std::size_t row, std::span<const double> delta, MatrixD& w) {
  add(entries_of(x, row), delta.data(), w.data(), w.stride(), w.cols());
}

}  // namespace sieve
