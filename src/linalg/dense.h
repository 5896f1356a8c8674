#pragma once

#include <vector>

#include "labelsieve/matrix.h"
#include "labelsieve/threads.h"

// Dense linear algebra in float64 on OpenBLAS. Work is cut into blocks of fixed size, each on one
// thread, so results are the same bits for any number of threads. Shapes that do not fit are bugs
// and assert.

namespace sieve {

MatrixD times(const MatrixD& a, const MatrixD& b, ThreadPool& pool);             // A B
MatrixD transposed_times(const MatrixD& a, const MatrixD& b, ThreadPool& pool);  // A' B
MatrixD times_transposed(const MatrixD& a, const MatrixD& b, ThreadPool& pool);  // A B'
MatrixD transposed(const MatrixD& a);
Matrix narrowed(const MatrixD& wide);  // to float32

void add(MatrixD& to, double factor, const MatrixD& from);  // to += factor * from
double squared_norm(const MatrixD& a);

// X with A X = B for a symmetric positive definite A, by Cholesky. Error(Training) if it is not
// positive definite to rounding.
MatrixD solve_positive(const MatrixD& a, const MatrixD& b);

// A = vectors' diag(values) vectors: values ascend, row i of `vectors` belongs to values[i].
struct SymmetricEigen {
  std::vector<double> values;
  MatrixD vectors;
};
// Of a symmetric matrix, whose lower triangle is not read. Error(Training) for NaN or infinity.
SymmetricEigen symmetric_eigen(MatrixD a);

// The X of least norm among those that minimise ||A X - B||, by singular values; those below
// `smallest` times the largest count as 0.
MatrixD least_squares(const MatrixD& a, const MatrixD& b, double smallest = 1e-12);

// The inverse of a symmetric positive definite matrix of a few hundred rows at most, by Cholesky.
// Does without OpenBLAS, which not every system has. Error(Training) if it is not positive definite
// to rounding.
MatrixD small_inverse(const MatrixD& a);

}  // namespace sieve
