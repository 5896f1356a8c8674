#include <algorithm>

#include "labelsieve/learner.h"

namespace sieve {

Matrix Model::probabilities(const Features& x, ThreadPool& pool) const {
  return probabilities(scores(x, pool));
}

// Kept off 0 and 1, whose logarithms users take.
Matrix Model::probabilities(Matrix scores) const {
  constexpr float kLeast = 1e-7F;
  Matrix out = on_unit_scale(std::move(scores));
  for (std::size_t i = 0; i < out.rows(); ++i)
    for (float& value : out.row(i)) value = std::clamp(value, kLeast, 1 - kLeast);
  return out;
}

}  // namespace sieve
