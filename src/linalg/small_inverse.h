#pragma once

#include "labelsieve/matrix.h"

namespace sieve {

// The inverse of a symmetric positive definite matrix of a few hundred rows at most, by Cholesky.
// Does without OpenBLAS, which not every system has. Error(Training) if it is not positive definite
// to rounding.
MatrixD small_inverse(const MatrixD& a);

}  // namespace sieve
