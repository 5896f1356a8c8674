// Comparing codes, 64 at a time, for the target that is being compiled.
#if defined(SIEVE_FOREST_CODES_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef SIEVE_FOREST_CODES_INL_H
#undef SIEVE_FOREST_CODES_INL_H
#else
#define SIEVE_FOREST_CODES_INL_H
#endif

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace sieve::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using Bytes = hn::CappedTag<std::uint8_t, 64>;
using SomeBytes = hn::CappedTag<std::uint8_t, 16>;
// Without vectors, a loop over numbers does instead.
constexpr bool kVectors = hn::MaxLanes(SomeBytes()) == 16;

// Bit i: whether byte i of 64 is at most `most`.
HWY_INLINE std::uint64_t at_most(const std::uint8_t* bytes, std::uint8_t most) {
  std::uint64_t word = 0;
  if constexpr (kVectors) {
    const Bytes tag;
    std::uint8_t bits[16];  // 8 may be written wherever those of a vector go
    for (std::size_t i = 0; i < 64; i += hn::Lanes(tag)) {
      const auto some = hn::Load(tag, bytes + i);
      hn::StoreMaskBits(tag, hn::Eq(hn::Min(some, hn::Set(tag, most)), some), bits + i / 8);
    }
    std::memcpy(&word, bits, sizeof word);
  } else {
    for (std::size_t i = 0; i < 64; ++i) word |= std::uint64_t{bytes[i] <= most} << i;
  }
  return word;
}

}  // namespace
}  // namespace sieve::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
