#pragma once

#include <span>

#include "labelsieve/labels.h"
#include "labelsieve/matrix.h"
#include "labelsieve/threads.h"

namespace sieve {

// The weights W, (cols + 1) x labels, that minimise ||Y - [X, 1] W||^2 + penalty ||W||^2; the last
// row is the intercept. Float64, conjugate gradients on the normal equations; sparse features stay
// sparse. The same bits for any number of threads.
MatrixD fit_ridge(const Features& x, const LabelMatrix& y, double penalty, ThreadPool& pool);

// [x_row, 1] W, one score a label.
void ridge_scores(const MatrixD& weights, const Features& x, std::size_t row,
                  std::span<double> scores);

}  // namespace sieve
