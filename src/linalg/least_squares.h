#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "labelsieve/matrix.h"
#include "labelsieve/threads.h"

namespace sieve {

// The w >= 0 that minimises w' G w / 2 - r' w: least squares ||A w - b|| in the normal form
// G = A' A (size x size, symmetric), r = A' b. Active sets after Lawson and Hanson; columns that
// depend on those already in use stay out. Cost O(size^3) a step, about `size` steps.
std::vector<double> nonnegative_least_squares(const MatrixD& gram, std::span<const double> right);

// A = P diag(s) Q' becomes P diag(f(s)) Q', by the eigenvectors of the smaller of A'A and A A'.
// Singular values below 1e-12, and those that rounding hides behind the largest, become 0.
MatrixD map_singular_values(const MatrixD& a, const std::function<double(double)>& f,
                            ThreadPool& pool);

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
