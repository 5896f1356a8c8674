#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace sieve {

// The rows in the order of an epoch: cut into windows of kWindowRows neighbours, the windows in
// random order, and the rows of each in random order. So whoever follows it needs the rows of one
// window at a time. Up to one window it is a plain shuffle.
std::vector<std::size_t> windowed_order(std::span<const std::size_t> rows, std::uint64_t seed,
                                        std::uint64_t epoch);

}  // namespace sieve
