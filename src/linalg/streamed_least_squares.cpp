#include "linalg/streamed_least_squares.h"

#include <algorithm>
#include <cassert>
#include <vector>

#include "linalg/blas.h"
#include "linalg/dense.h"

namespace sieve {
namespace {

constexpr int kPanel = 32;  // columns that are rotated together

}  // namespace

StreamedLeastSquares::StreamedLeastSquares(std::size_t unknowns, std::size_t right_sides)
    : unknowns_(unknowns), triangle_(unknowns + right_sides, unknowns + right_sides) {}

void StreamedLeastSquares::add(MatrixD rows) {
  assert(rows.rows() == triangle_.rows());
  if (rows.cols() == 0 || rows.rows() == 0) return;
  const BlasScope blas;
  const int m = static_cast<int>(rows.cols()), n = static_cast<int>(triangle_.rows()), none = 0,
            panel = std::min(kPanel, n), lda = static_cast<int>(triangle_.stride()),
            ldb = static_cast<int>(rows.stride());
  const auto room = static_cast<std::size_t>(panel) * triangle_.rows();
  std::vector<double> reflectors(room), work(room);
  int info = 0;
  blas->dtpqrt(&m, &n, &none, &panel, triangle_.data(), &lda, rows.data(), &ldb, reflectors.data(),
               &panel, work.data(), &info);
  assert(info == 0);
}

MatrixD StreamedLeastSquares::solve(double smallest) const {
  MatrixD left(unknowns_, unknowns_), right(unknowns_, triangle_.rows() - unknowns_);
  for (std::size_t j = 0; j < triangle_.rows(); ++j)
    for (std::size_t i = 0; i <= std::min(j, unknowns_ - 1); ++i)
      (j < unknowns_ ? left(i, j) : right(i, j - unknowns_)) = triangle_(j, i);
  return least_squares(left, right, smallest);
}

}  // namespace sieve
