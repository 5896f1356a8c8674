#include "linalg/singular.h"

#include <algorithm>
#include <cmath>

#include "linalg/dense.h"

namespace sieve {
namespace {

constexpr double kSmallest = 1e-12;  // a singular value
constexpr double kRounding = 1e-15;  // of the largest square

// vectors' diag(f(s) / s) vectors, where squares s^2 are the eigenvalues
MatrixD factor(const SymmetricEigen& eigen, const std::function<double(double)>& f,
               ThreadPool& pool) {
  MatrixD scaled(eigen.vectors.rows(), eigen.vectors.cols());
  for (std::size_t r = 0; r < scaled.rows(); ++r) {
    const double square = eigen.values[r], s = std::sqrt(std::max(square, 0.0));
    if (s < kSmallest || square < kRounding * eigen.values.back()) continue;
    const double ratio = f(s) / s;
    for (std::size_t j = 0; j < scaled.cols(); ++j) scaled(r, j) = ratio * eigen.vectors(r, j);
  }
  return transposed_times(eigen.vectors, scaled, pool);
}

}  // namespace

MatrixD map_singular_values(const MatrixD& a, const std::function<double(double)>& f,
                            ThreadPool& pool) {
  if (a.cols() <= a.rows())
    return times(a, factor(symmetric_eigen(transposed_times(a, a, pool)), f, pool), pool);
  return times(factor(symmetric_eigen(times_transposed(a, a, pool)), f, pool), a, pool);
}

}  // namespace sieve
