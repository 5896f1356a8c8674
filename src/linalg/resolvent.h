#pragma once

#include <cstddef>

#include "linalg/dense.h"
#include "linalg/design.h"

namespace sieve {

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
