#pragma once

#include <numeric>
#include <span>
#include <vector>

#include "base/random.h"

namespace sieve {

// 0, ..., count - 1 in random order.
inline std::vector<std::size_t> shuffled_indices(std::size_t count, Random& random) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  random.shuffle(std::span(order));
  return order;
}

}  // namespace sieve
