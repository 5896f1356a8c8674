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

// The same shape of weights for targets that are any numbers (rows x labels), on centred features
// and without a penalty on the intercept. Dense features are scaled to one variance, large entries
// of sparse ones down to 1. The penalty is in units of the mean sum of squares along the directions
// that rows span after that, so that one suits features of any kind, few or many. Stops when the
// remainder is a thousandth, which predictions do not show. Needs at least one row, and 30 MB
// beside the features.
MatrixD fit_scaled_ridge(const Features& x, const Matrix& targets, double penalty,
                         ThreadPool& pool);

// [x_row, 1] W, one score a label.
void ridge_scores(const MatrixD& weights, const Features& x, std::size_t row,
                  std::span<double> scores);

}  // namespace sieve
