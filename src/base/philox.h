#pragma once

#include <array>
#include <cstdint>

namespace sieve {

// The Philox4x64-10 block function, on which Random stands.
std::array<std::uint64_t, 4> philox4x64(std::array<std::uint64_t, 4> counter,
                                        std::array<std::uint64_t, 2> key);

}  // namespace sieve
