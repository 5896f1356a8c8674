#pragma once

#include "labelsieve/matrix.h"
#include "labelsieve/threads.h"

namespace sieve {

// The orthogonal H that makes ||A H - B|| least, for A and B of the same shape (orthogonal
// Procrustes): U V' from the singular value decomposition A'B = U S V'.
MatrixD best_rotation(const MatrixD& a, const MatrixD& b, ThreadPool& pool);

}  // namespace sieve
