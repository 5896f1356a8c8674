#include "linalg/small_inverse.h"

#include <cmath>

#include "labelsieve/error.h"

namespace sieve {
namespace {

// The lower triangle L of A = L L'.
MatrixD cholesky_factor(const MatrixD& a) {
  MatrixD l(a.rows(), a.rows());
  for (std::size_t i = 0; i < a.rows(); ++i)
    for (std::size_t j = 0; j <= i; ++j) {
      double rest = a(i, j);
      for (std::size_t p = 0; p < j; ++p) rest -= l(i, p) * l(j, p);
      if (i != j) {
        l(i, j) = rest / l(j, j);
        continue;
      }
      if (!(rest > 0)) throw Error(Failure::Training, "a matrix is not positive definite");
      l(i, i) = std::sqrt(rest);
    }
  return l;
}

}  // namespace

MatrixD small_inverse(const MatrixD& a) {
  const std::size_t size = a.rows();
  const MatrixD l = cholesky_factor(a);
  MatrixD below(size, size);  // the inverse of L
  for (std::size_t j = 0; j < size; ++j)
    for (std::size_t i = j; i < size; ++i) {
      double rest = i == j ? 1 : 0;
      for (std::size_t p = j; p < i; ++p) rest -= l(i, p) * below(p, j);
      below(i, j) = rest / l(i, i);
    }
  MatrixD inverse(size, size);
  for (std::size_t i = 0; i < size; ++i)
    for (std::size_t j = 0; j <= i; ++j) {
      double sum = 0;
      for (std::size_t p = i; p < size; ++p) sum += below(p, i) * below(p, j);
      inverse(i, j) = inverse(j, i) = sum;
    }
  return inverse;
}

}  // namespace sieve
