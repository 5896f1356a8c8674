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

}  // namespace sieve
