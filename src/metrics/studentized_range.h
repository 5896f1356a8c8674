#pragma once

#include <cstddef>

namespace sieve {

// The value that the range of `count` independent standard normal values exceeds with probability
// `level`: the upper quantile of the studentized range, infinite degrees of freedom. count >= 2,
// 0 < level < 1.
double studentized_range(std::size_t count, double level);

}  // namespace sieve
