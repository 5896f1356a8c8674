#pragma once

#include <cstdint>
#include <vector>

#include "labelsieve/matrix.h"
#include "labelsieve/threads.h"

namespace sieve {

// The directions in which rows differ most, once every feature varies alike.
struct Directions {
  std::vector<float> mean;  // one per feature
  Matrix turn;              // features x directions; none where no feature varies

  // rows x directions
  Matrix along(const Features& x, ThreadPool& pool) const;
};

// At most `most` directions, by subspace iteration: no more than the rows can tell apart. Sparse
// rows stay sparse. The same bits for any number of threads.
Directions learn_directions(const Features& x, std::size_t most, std::uint64_t seed,
                            ThreadPool& pool);

}  // namespace sieve
