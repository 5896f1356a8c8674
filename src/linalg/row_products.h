#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "labelsieve/matrix.h"

// Products with one row of features. Each number is a chain of fused multiply-adds in the order of
// the entries: a row has the same bits whether it is stored dense or sparse.
namespace sieve {

RowEntries entries_of(const CsrMatrix& x, std::size_t row);

// out = x^T w, where w has rows of `cols` numbers, `stride` apart.
void row_times(RowEntries x, const float* w, std::size_t stride, std::size_t cols, float* out);
void row_times(RowEntries x, const double* w, std::size_t stride, std::size_t cols, double* out);

// w += x delta^T, the same shapes.
void add_outer(RowEntries x, const double* delta, double* w, std::size_t stride, std::size_t cols);

constexpr std::size_t padded_eight(std::size_t cols) {
  return (cols + 7) / 8 * 8;
}

// The same for matrices with padded_eight(...) columns.
inline void row_times(const Features& x, std::size_t row, const MatrixD& w, std::span<double> out) {
  RowRoom room;
  row_times(x.row(row, room), w.data(), w.stride(), w.cols(), out.data());
}
inline void add_outer(const Features& x, std::size_t row, std::span<const double> delta,
                      MatrixD& w) {
  RowRoom room;
  add_outer(x.row(row, room), delta.data(), w.data(), w.stride(), w.cols());
}

// The inner product: 16 sums side by side, then over those.
double dot(const float* a, const double* b, std::size_t size);

// to += factor * from
void add_scaled(double factor, const float* from, std::size_t size, double* to);

}  // namespace sieve
