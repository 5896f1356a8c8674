#pragma once

#include <cstddef>
#include <span>

namespace sieve {

constexpr std::size_t kTile = 8;

// out = A' B, row by row, for two blocks of `rows` x 8 numbers, rows `stride` apart. On the calling
// thread. Here because OpenBLAS falls back to SSE on processors younger than itself, which takes
// five times as long.
void transposed_times_tile(const double* a, const double* b, std::size_t rows, std::size_t stride,
                           std::span<double, kTile * kTile> out);

}  // namespace sieve
