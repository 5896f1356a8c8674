#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "labelsieve/matrix.h"

namespace sieve {

// One side of a product, row-major with rows `stride` apart.
template <class Real>
struct Operand {
  const Real* data;
  std::size_t stride;
  bool transposed = false;
};

// c (m x n) = a (m x k) * b (k x n), or c += a * b when `add`. Runs on the calling thread alone.
//
// Every number of c is one chain of fused multiply-adds over k in order, which begins with 0 (or
// with what is there): its bits depend on its row of a and its column of b alone, not on the shape
// or the processor. Fastest where n is a multiple of 48 and b is not transposed.
template <class Real>
void gemm(std::size_t m, std::size_t n, std::size_t k, Operand<Real> a, Operand<Real> b, bool add,
          Real* c, std::size_t c_stride);

// Calls body(first, count) for pieces of `n` columns that suit gemm. What has just been multiplied
// is still in the innermost cache when the rest of the work on it is done in the same call.
template <class Body>
void for_column_pieces(std::size_t n, const Body& body) {
  constexpr std::size_t kPiece = 48, kTwoPieces = 64;
  for (std::size_t first = 0, count; first < n; first += count) {
    const std::size_t left = n - first;
    count = left == kTwoPieces ? kTwoPieces / 2 : left < kPiece ? left : kPiece;
    body(first, count);
  }
}

// Products with one row of features. Each number is a chain of fused multiply-adds in the order of
// the entries: a row has the same bits whether it is stored dense or sparse.

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

// Rows [first, last) of `from`, `cols` entries each (a multiple of 8), become columns of `to`.
template <class Real>
void transpose_strip(const Real* from, std::size_t stride, std::size_t cols, std::size_t first,
                     std::size_t last, Real* to, std::size_t to_stride);

}  // namespace sieve
