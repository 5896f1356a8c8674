#pragma once

#include <cstddef>

#include "labelsieve/matrix.h"

namespace sieve {

// Least squares over rows that come block by block, in memory for the unknowns alone: each block is
// rotated into a triangle (QR), which never squares the condition as A' A would.
class StreamedLeastSquares {
 public:
  StreamedLeastSquares(std::size_t unknowns, std::size_t right_sides);

  // Rows of A and B side by side, transposed: (unknowns + right sides) x any number of rows.
  void add(MatrixD rows);
  // The X of least norm among those that minimise ||A X - B||; singular values of A below
  // `smallest` times the largest count as 0.
  MatrixD solve(double smallest) const;

 private:
  std::size_t unknowns_;
  MatrixD triangle_;  // [A B] = Q R; holds R', lower, row by row
};

}  // namespace sieve
