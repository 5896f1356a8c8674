#pragma once

#include <cstddef>
#include <span>

#include "labelsieve/matrix.h"

namespace sieve {

// Columns are worked on eight at a time: matrices and vectors here have padded_eight(n) of them.
constexpr std::size_t padded_eight(std::size_t cols) {
  return (cols + 7) / 8 * 8;
}

// out = x_row^T W. W has x.cols() rows; W and `out` have padded_eight(...) columns.
void row_times(const Features& x, std::size_t row, const MatrixD& w, std::span<double> out);

// W += x_row delta^T, the same shapes.
void add_outer(const Features& x, std::size_t row, std::span<const double> delta, MatrixD& w);

}  // namespace sieve
