#pragma once

#include <functional>

#include "labelsieve/matrix.h"
#include "labelsieve/threads.h"

namespace sieve {

// A = P diag(s) Q' becomes P diag(f(s)) Q', by the eigenvectors of the smaller of A'A and A A'.
// Singular values below 1e-12, and those that rounding hides behind the largest, become 0.
MatrixD map_singular_values(const MatrixD& a, const std::function<double(double)>& f,
                            ThreadPool& pool);

}  // namespace sieve
