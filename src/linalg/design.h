#pragma once

#include "labelsieve/labels.h"
#include "labelsieve/matrix.h"
#include "labelsieve/threads.h"

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

}  // namespace sieve
