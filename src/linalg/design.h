#pragma once

#include <cstddef>

#include "labelsieve/labels.h"
#include "labelsieve/matrix.h"
#include "labelsieve/threads.h"
#include "linalg/dense.h"

namespace sieve {

// Phi = X, or [X, 1] with a bias column at the end: what a linear method multiplies with, in
// float64. Refers to the features, which stay as they are stored: dense ones are widened block by
// block, sparse ones stay sparse. All results are the same bits for any number of threads.
struct Design {
  const Features& x;
  bool bias = false;

  std::size_t rows() const { return x.rows(); }
  std::size_t cols() const { return x.cols() + (bias ? 1 : 0); }
};

MatrixD times(const Design& phi, const MatrixD& w, ThreadPool& pool);             // Phi W
MatrixD transposed_times(const Design& phi, const MatrixD& y, ThreadPool& pool);  // Phi' Y
MatrixD gram(const Design& phi, ThreadPool& pool);                                // Phi' Phi
MatrixD kernel(const Design& phi, ThreadPool& pool);                              // Phi Phi'

// Labels as numbers 0 and 1.
MatrixD numbers_of(const LabelMatrix& labels);

// (Phi' Phi + c I)^-1 B for any number of c > 0 after one eigendecomposition: of Phi' Phi, or of
// Phi Phi' where columns outnumber rows (Woodbury), so that the smaller of the two is formed.
// Refers to the design and the pool.
class Resolvent {
 public:
  enum class Form { Smaller, Columns, Rows };
  // Error(Usage) with the memory it would need if the matrix has more than `largest` rows.
  Resolvent(const Design& phi, std::size_t largest, ThreadPool& pool, Form form = Form::Smaller);

  // B has a row for each column of Phi.
  MatrixD apply(const MatrixD& b, double c) const {
    return turned_back(apply_turned(turned(b), c));
  }

  // The same in steps, for those who apply it often: B in coordinates where Phi' Phi is diagonal
  // (in the form by rows, as it is), there the inverse, and back. Turning keeps norms and singular
  // values.
  MatrixD turned(const MatrixD& b) const;
  MatrixD apply_turned(MatrixD b, double c) const;
  MatrixD turned_back(const MatrixD& b) const;

 private:
  void divide(MatrixD& along, double c) const;

  const Design phi_;
  ThreadPool& pool_;
  bool by_rows_;
  SymmetricEigen eigen_;
};

}  // namespace sieve
