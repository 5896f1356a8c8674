#include "linalg/tile.h"

#include <cstring>

#include "base/vectorised.h"

namespace sieve {

// Cut into narrower registers by the compiler where there are none so wide.
using Lanes = double __attribute__((vector_size(kTile * sizeof(double))));

SIEVE_VECTORISED
void transposed_times_tile(const double* a, const double* b, std::size_t rows, std::size_t stride,
                           std::span<double, kTile * kTile> out) {
  Lanes sums[kTile] = {};
  for (std::size_t r = 0; r < rows; ++r, a += stride, b += stride) {
    Lanes right;
    std::memcpy(&right, b, sizeof right);
    for (std::size_t i = 0; i < kTile; ++i) sums[i] += a[i] * right;
  }
  std::memcpy(out.data(), sums, sizeof sums);
}

}  // namespace sieve
