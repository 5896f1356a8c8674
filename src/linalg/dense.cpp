#include "linalg/dense.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "labelsieve/error.h"
#include "linalg/blas.h"
#include "linalg/products.h"

namespace sieve {
namespace {

constexpr std::size_t kMostEigenRows = 32000;
constexpr std::size_t kBlock = 128;  // rows or columns of the result that make one piece of work

int size_of(std::size_t value) {
  return static_cast<int>(value);
}

// Leading dimensions may not be 0.
int stride_of(const MatrixD& a) {
  return size_of(std::max<std::size_t>(a.stride(), 1));
}

}  // namespace

MatrixD times(const MatrixD& a, const MatrixD& b, ThreadPool& pool) {
  assert(a.cols() == b.rows());
  MatrixD out(a.rows(), b.cols());
  pool.for_blocks(a.rows(), kBlock, [&](std::size_t first, std::size_t last) {
    gemm<double>(last - first, b.cols(), a.cols(), {a.row(first).data(), a.stride()},
                 {b.data(), b.stride()}, false, out.row(first).data(), out.stride());
  });
  return out;
}

MatrixD transposed_times(const MatrixD& a, const MatrixD& b, ThreadPool& pool) {
  assert(a.rows() == b.rows());
  MatrixD out(a.cols(), b.cols());
  pool.for_blocks(a.cols(), kBlock, [&](std::size_t first, std::size_t last) {
    gemm<double>(last - first, b.cols(), a.rows(), {a.data() + first, a.stride(), true},
                 {b.data(), b.stride()}, false, out.row(first).data(), out.stride());
  });
  return out;
}

MatrixD times_transposed(const MatrixD& a, const MatrixD& b, ThreadPool& pool) {
  assert(a.cols() == b.cols());
  MatrixD out(a.rows(), b.rows());
  pool.for_blocks(a.rows(), kBlock, [&](std::size_t first, std::size_t last) {
    gemm<double>(last - first, b.rows(), a.cols(), {a.row(first).data(), a.stride()},
                 {b.data(), b.stride(), true}, false, out.row(first).data(), out.stride());
  });
  return out;
}

MatrixD transposed(const MatrixD& a) {
  MatrixD out(a.cols(), a.rows());
  for (std::size_t i = 0; i < a.rows(); ++i)
    for (std::size_t j = 0; j < a.cols(); ++j) out(j, i) = a(i, j);
  return out;
}

Matrix narrowed(const MatrixD& wide) {
  Matrix out(wide.rows(), wide.cols());
  for (std::size_t i = 0; i < wide.rows(); ++i)
    std::ranges::transform(wide.row(i), out.row(i).begin(),
                           [](double value) { return static_cast<float>(value); });
  return out;
}

void add(MatrixD& to, double factor, const MatrixD& from) {
  assert(to.rows() == from.rows() && to.cols() == from.cols());
  for (std::size_t i = 0; i < to.rows(); ++i)
    for (std::size_t j = 0; j < to.cols(); ++j) to(i, j) += factor * from(i, j);
}

double squared_norm(const MatrixD& a) {
  double sum = 0;
  for (std::size_t i = 0; i < a.rows(); ++i)
    for (const double value : a.row(i)) sum += value * value;
  return sum;
}

MatrixD solve_positive(const MatrixD& a, const MatrixD& b) {
  assert(a.rows() == a.cols() && a.rows() == b.rows());
  if (a.rows() == 0) return b.clone();
  const BlasScope blas;
  MatrixD factor = a.clone(), right = transposed(b);
  const int n = size_of(a.rows()), rhs = size_of(b.cols()), lda = stride_of(factor),
            ldb = stride_of(right);
  int info = 0;
  blas->dposv("L", &n, &rhs, factor.data(), &lda, right.data(), &ldb, &info);
  if (info != 0)
    throw Error(Failure::Training, "a matrix to be inverted is not positive definite", {},
                "make the regularisation stronger");
  return transposed(right);
}

SymmetricEigen symmetric_eigen(MatrixD a) {
  assert(a.rows() == a.cols());
  // LAPACK counts its 2 n^2 numbers of room in 32 bits.
  if (a.rows() > kMostEigenRows)
    throw Error(Failure::Usage, "a matrix of " + std::to_string(a.rows()) + " rows is too large",
                {}, "choose fewer features or rows");
  SymmetricEigen out{std::vector<double>(a.rows()), std::move(a)};
  if (out.values.empty()) return out;
  const BlasScope blas;
  const int n = size_of(out.values.size()), lda = stride_of(out.vectors), ask = -1;
  double work_size = 0;
  int iwork_size = 0, info = 0;
  const auto call = [&](double* work, const int* lwork, int* iwork, const int* liwork) {
    // The upper triangle by rows is the lower one by columns.
    blas->dsyevd("V", "L", &n, out.vectors.data(), &lda, out.values.data(), work, lwork, iwork,
                 liwork, &info);
  };
  call(&work_size, &ask, &iwork_size, &ask);
  std::vector<double> work(static_cast<std::size_t>(work_size));
  std::vector<int> iwork(static_cast<std::size_t>(iwork_size));
  const int lwork = size_of(work.size());
  call(work.data(), &lwork, iwork.data(), &iwork_size);
  if (info != 0 || !std::ranges::all_of(out.values, [](double v) { return v - v == 0; }))
    throw Error(Failure::Training, "the eigenvalues of a matrix could not be found", {},
                "check the features for very large values, or scale them");
  return out;
}

MatrixD least_squares(const MatrixD& a, const MatrixD& b, double smallest) {
  assert(a.rows() == b.rows());
  if (a.rows() == 0 || a.cols() == 0) return MatrixD(a.cols(), b.cols());
  const BlasScope blas;
  MatrixD columns = transposed(a);
  // The solutions come back in place of the right-hand sides, and may be longer.
  MatrixD right(b.cols(), std::max(a.rows(), a.cols()));
  for (std::size_t i = 0; i < b.rows(); ++i)
    for (std::size_t k = 0; k < b.cols(); ++k) right(k, i) = b(i, k);
  const int m = size_of(a.rows()), n = size_of(a.cols()), rhs = size_of(b.cols()),
            lda = stride_of(columns), ldb = stride_of(right), ask = -1;
  std::vector<double> singular(std::min(a.rows(), a.cols()));
  double work_size = 0;
  int iwork_size = 0, rank = 0, info = 0;
  const auto call = [&](double* work, const int* lwork, int* iwork) {
    blas->dgelsd(&m, &n, &rhs, columns.data(), &lda, right.data(), &ldb, singular.data(), &smallest,
                 &rank, work, lwork, iwork, &info);
  };
  call(&work_size, &ask, &iwork_size);
  std::vector<double> work(static_cast<std::size_t>(work_size));
  std::vector<int> iwork(static_cast<std::size_t>(std::max(iwork_size, 1)));
  const int lwork = size_of(work.size());
  call(work.data(), &lwork, iwork.data());
  if (info != 0)
    throw Error(Failure::Training, "a least squares problem could not be solved", {},
                "check the features for very large values, or scale them");
  MatrixD out(a.cols(), b.cols());
  for (std::size_t j = 0; j < a.cols(); ++j)
    for (std::size_t k = 0; k < b.cols(); ++k) out(j, k) = right(k, j);
  return out;
}

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
