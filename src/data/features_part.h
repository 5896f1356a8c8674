#pragma once

#include "labelsieve/matrix.h"

namespace sieve {

// Rows [first, last) of `all`. Of mapped ones nothing but the starts of sparse rows is copied.
Features features_part(const Features& all, std::size_t first, std::size_t last);

}  // namespace sieve
