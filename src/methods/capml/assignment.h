#pragma once

#include <cstddef>
#include <vector>

#include "labelsieve/matrix.h"

namespace sieve {

// The cheapest way to give every row of a square matrix of finite costs a column of its own: entry
// i of the answer is the column of row i. Hungarian method with shortest augmenting paths, O(n^3).
std::vector<std::size_t> cheapest_assignment(const MatrixD& costs);

}  // namespace sieve
