#pragma once

#include <bit>
#include <cstdint>

namespace sieve {

// The powers of ten that a double holds exactly.
inline constexpr double kPowersOfTen[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                          1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                          1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
inline constexpr int kLargestExactPower = 22;

// The bits of a double that a float32 has no room for, and what they are half way between two.
inline constexpr std::uint64_t kCutOff = (std::uint64_t{1} << 29) - 1;
inline constexpr std::uint64_t kHalf = std::uint64_t{1} << 28;

// Rounds a double that is the nearest one to some decimal number on to float32. That is the nearest
// float32 as well, unless the double lies just between two of them (then false): which side the
// decimal number was on is lost. Only for zero and the range of normal float32 numbers.
inline bool round_to_float(double wide, bool negative, float& value) {
  const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(wide));
  value = std::bit_cast<float>(bits | static_cast<std::uint32_t>(negative) << 31);
  return (std::bit_cast<std::uint64_t>(wide) & kCutOff) != kHalf;
}

}  // namespace sieve
