#pragma once

#include <span>

#include "labelsieve/matrix.h"

namespace sieve {

bool all_finite(std::span<const float> values);

// The scores of these rows themselves; NotFinite naming the first row with one that is not a finite
// number. Every model passes what it says through here.
Matrix finite_scores(Matrix scores, const Features& x);

}  // namespace sieve
