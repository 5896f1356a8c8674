#include <cstdint>

#include "data/exact_float.h"
#include "data/numbers.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace sieve {
namespace {

// Any number of the grammar of scan_float, slowly.
const char* scan_cell(const char* p, const char* end, char delimiter, float& value) {
  p = scan_float(p, end, value);
  return p != nullptr && p != end && *p == delimiter ? p + 1 : nullptr;
}

#ifdef __SSE2__

constexpr int kWidth = 16;  // characters looked at in one go

// The last n bytes of the vector loaded at kWindow + n are ones, the others zero.
alignas(64) constexpr unsigned char kWindow[2 * kWidth] = {
    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,
    0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF};

__m128i load(const void* from) {
  return _mm_loadu_si128(static_cast<const __m128i*>(from));
}

std::uint32_t mask_of(__m128i bytes) {
  return static_cast<std::uint32_t>(_mm_movemask_epi8(bytes));
}

// Sixteen bytes 0..9, the first one the highest digit, as one number.
std::uint64_t number_of(__m128i digits) {
  const __m128i twos = _mm_srli_epi16(_mm_mullo_epi16(digits, _mm_set1_epi16(256 * 10 + 1)), 8);
  const __m128i fours = _mm_madd_epi16(twos, _mm_set1_epi32(1 << 16 | 100));
  const __m128i eights =
      _mm_madd_epi16(_mm_packs_epi32(fours, fours), _mm_set1_epi32(1 << 16 | 10000));
  const auto both = static_cast<std::uint64_t>(_mm_cvtsi128_si64(eights));
  return (both & 0xFFFFFFFFU) * 100000000U + (both >> 32);
}

// The common case without a branch that depends on the data: [-]digits[.digits] of at most 15
// characters before the delimiter. Looks at 17 bytes before the delimiter and 16 from p on.
// Returns null for anything else.
inline const char* scan_plain_cell(const char* p, __m128i delimiters, float& value) {
  const __m128i text = load(p);
  const auto length = static_cast<unsigned>(
      __builtin_ctz(mask_of(_mm_cmpeq_epi8(text, delimiters)) | 1U << kWidth));
  const unsigned inside = (1U << length) - 1;
  const __m128i zeros = _mm_set1_epi8('0');
  const __m128i shifted = _mm_sub_epi8(text, zeros);
  const __m128i is_digit = _mm_cmpeq_epi8(_mm_min_epu8(shifted, _mm_set1_epi8(9)), shifted);
  const unsigned negative = *p == '-';
  const unsigned others = ~mask_of(is_digit) & inside & ~negative;
  const unsigned points = mask_of(_mm_cmpeq_epi8(text, _mm_set1_epi8('.'))) & inside;
  const unsigned has_point = others != 0;
  const unsigned digit_count = length - negative - has_point;
  if (length == kWidth || digit_count == 0) return nullptr;
  if (others != points || (others & (others - 1)) != 0) return nullptr;

  // Digits before the point move one place to the right, over the point.
  const auto point = static_cast<unsigned>(__builtin_ctz(others | 1U << length));
  const unsigned fraction = length - point - has_point;
  const char* delimiter = p + length;
  const __m128i behind = load(kWindow + fraction);
  const __m128i digits = _mm_or_si128(
      _mm_and_si128(behind, load(delimiter - kWidth)),
      _mm_andnot_si128(behind, load(delimiter - kWidth - static_cast<int>(has_point))));
  const std::uint64_t number =
      number_of(_mm_and_si128(_mm_sub_epi8(digits, zeros), load(kWindow + digit_count)));
  const double wide =
      static_cast<double>(static_cast<std::int64_t>(number)) / kPowersOfTen[fraction];
  return round_to_float(wide, negative != 0, value) ? delimiter + 1 : nullptr;
}

#endif

}  // namespace

const char* scan_floats(const char* begin, const char* from, const char* end, char delimiter,
                        float* values, std::size_t count) {
  const char* p = from;
#ifdef __SSE2__
  const __m128i delimiters = _mm_set1_epi8(delimiter);
#endif
  for (std::size_t i = 0; i < count; ++i) {
#ifdef __SSE2__
    if (p - begin > kWidth && end - p >= kWidth) [[likely]] {
      if (const char* next = scan_plain_cell(p, delimiters, values[i])) [[likely]] {
        p = next;
        continue;
      }
    }
#endif
    p = scan_cell(p, end, delimiter, values[i]);
    if (p == nullptr) return nullptr;
  }
  return p;
}

}  // namespace sieve
