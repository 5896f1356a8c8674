#pragma once

#include <span>
#include <vector>

#include "labelsieve/matrix.h"

namespace sieve {

// The w >= 0 that minimises w' G w / 2 - r' w: least squares ||A w - b|| in the normal form
// G = A' A (size x size, symmetric), r = A' b. Active sets after Lawson and Hanson; columns that
// depend on those already in use stay out. Cost O(size^3) a step, about `size` steps.
std::vector<double> nonnegative_least_squares(const MatrixD& gram, std::span<const double> right);

}  // namespace sieve
