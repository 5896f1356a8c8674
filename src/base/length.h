#pragma once

#include <cmath>

namespace sieve {

// The length of (x, y), for numbers whose squares neither overflow nor vanish: the same bits with
// every C library, which those of std::hypot are not.
inline double length(double x, double y) {
  return std::sqrt(x * x + y * y);
}

}  // namespace sieve
