#include <algorithm>
#include <array>
#include <cstdint>

#include "data/exact_float.h"
#include "data/feature_entries.h"
#include "data/numbers.h"

#if defined(__x86_64__) && defined(__GNUC__)
#define SIEVE_AVX2 __attribute__((target("avx2,bmi,bmi2")))
#include <immintrin.h>
#endif

namespace sieve {
namespace {

bool is_digit(char c) {
  return static_cast<unsigned char>(c - '0') < 10;
}

// Any number of the grammar of scan_float, slowly.
const char* scan_cell(const char* p, const char* end, char delimiter, float& value) {
  p = scan_float(p, end, value);
  return p != nullptr && p != end && *p == delimiter ? p + 1 : nullptr;
}

#ifdef SIEVE_AVX2

constexpr std::size_t kWidth = 16;              // characters looked at in one go
constexpr std::ptrdiff_t kMostIndexDigits = 9;  // that many fit 32 bits
using Bytes = std::array<std::uint8_t, kWidth>;

const bool kHasAvx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
                      __builtin_cpu_supports("bmi2");

// Entry n keeps the low half (the digit) of the last n characters and clears the others.
constexpr auto kLastDigits = [] {
  std::array<Bytes, kWidth> keep{};
  for (std::size_t n = 0; n < kWidth; ++n)
    for (std::size_t k = kWidth - n; k < kWidth; ++k) keep[n][k] = 15;
  return keep;
}();

// Entry n takes out a decimal point n places from the end: all before it moves one place to the
// right. Entry 0 changes nothing.
constexpr auto kWithoutPoint = [] {
  std::array<Bytes, kWidth> from{};
  for (std::size_t n = 0; n < kWidth; ++n)
    for (std::size_t k = 0; k < kWidth; ++k)
      from[n][k] = static_cast<std::uint8_t>(n != 0 && k <= kWidth - n ? k - 1 : k);
  return from;
}();

// What to divide by when the point is n places from the end.
constexpr auto kScale = [] {
  std::array<double, kWidth> scale{1};
  for (std::size_t n = 1; n < kWidth; ++n) scale[n] = kPowersOfTen[n - 1];
  return scale;
}();

SIEVE_AVX2 inline __m128i load(const void* from) {
  return _mm_loadu_si128(static_cast<const __m128i*>(from));
}

SIEVE_AVX2 inline unsigned mask_of(__m128i bytes) {
  return static_cast<unsigned>(_mm_movemask_epi8(bytes));
}

// Sixteen bytes 0..9, the first one the highest digit (and 0), as one number.
SIEVE_AVX2 inline double number_of(__m128i digits) {
  const __m128i twos = _mm_maddubs_epi16(digits, _mm_set1_epi16(1 << 8 | 10));
  const __m128i fours = _mm_madd_epi16(twos, _mm_set1_epi32(1 << 16 | 100));
  const __m128i packed = _mm_packus_epi32(fours, fours);
  const __m128d eights = _mm_cvtepi32_pd(_mm_madd_epi16(packed, _mm_set1_epi32(1 << 16 | 10000)));
  const __m128d scaled = _mm_mul_pd(eights, _mm_set_pd(1, 1e8));
  return _mm_cvtsd_f64(_mm_add_sd(scaled, _mm_unpackhi_pd(scaled, scaled)));
}

// The common case, with no branch that depends on the digits: [-]digits[.digits] of at most 15
// characters before a delimiter. `text` is what stands at p, `is_end` where it is a delimiter.
// Looks at 16 bytes before the delimiter. Returns null for anything else, else the delimiter.
SIEVE_AVX2 inline const char* scan_plain_cell(const char* p, __m128i text, __m128i is_end,
                                              float& value) {
  const unsigned ends = mask_of(is_end) | 1U << kWidth;
  const unsigned length = _tzcnt_u32(ends);
  const __m128i from_zero = _mm_sub_epi8(text, _mm_set1_epi8('0' - 128));
  const unsigned digits = mask_of(_mm_cmpgt_epi8(_mm_set1_epi8(-128 + 10), from_zero));
  const unsigned points = mask_of(_mm_cmpeq_epi8(text, _mm_set1_epi8('.')));
  const unsigned negative = *p == '-';
  const unsigned others = _bzhi_u32(~(digits | negative), length);
  if (length == kWidth || _bzhi_u32(digits, length) == 0) return nullptr;
  if (others != _bzhi_u32(points, length) || _blsr_u32(others) != 0) return nullptr;

  const char* delimiter = p + length;
  const unsigned point = length - _tzcnt_u32(others | ends);  // places from the end, 0 for none
  const __m128i kept =
      _mm_and_si128(load(delimiter - kWidth), load(&kLastDigits[length - negative]));
  const double number = number_of(_mm_shuffle_epi8(kept, load(&kWithoutPoint[point])));
  return round_to_float(number / kScale[point], negative != 0, value) ? delimiter : nullptr;
}

// Where sixteen bytes can be loaded on either side of a place.
struct Room {
  Room(const char* begin, const char* end)
      : from(begin + std::min(kWidth, static_cast<std::size_t>(end - begin))),
        to(end - (from - begin)) {}
  bool is_at(const char* p) const { return p >= from && p <= to; }
  const char *from, *to;
};

SIEVE_AVX2 const char* scan_floats_avx2(const char* begin, const char* p, const char* end,
                                        char delimiter, float* values, std::size_t count) {
  const __m128i delimiters = _mm_set1_epi8(delimiter);
  const Room room(begin, end);
  for (float* last = values + count; values != last; ++values) {
    const char* next = nullptr;
    if (room.is_at(p)) [[likely]] {
      const __m128i text = load(p);
      next = scan_plain_cell(p, text, _mm_cmpeq_epi8(text, delimiters), *values);
    }
    if (next != nullptr) [[likely]] {
      p = next + 1;
    } else {
      p = scan_cell(p, end, delimiter, *values);
      if (p == nullptr) return nullptr;
    }
  }
  return p;
}

SIEVE_AVX2 std::optional<std::size_t> scan_entries_avx2(const char* begin, const char* p,
                                                        const char* end, IndexRange range,
                                                        std::uint32_t* columns, float* values) {
  const __m128i blanks = _mm_set1_epi8(' '), line_ends = _mm_set1_epi8('\n');
  const Room room(begin, end);
  std::size_t count = 0;
  while (true) {
    std::uint32_t index = 0;
    const char* digits = p;
    for (; p != end && is_digit(*p); ++p) index = 10 * index + static_cast<std::uint32_t>(*p - '0');
    if (p == digits || p - digits > kMostIndexDigits || index < range.least || index > range.most)
      return {};
    if (!room.is_at(++p) || p[-1] != ':') return {};
    const __m128i text = load(p);
    const __m128i is_end =
        _mm_or_si128(_mm_cmpeq_epi8(text, blanks), _mm_cmpeq_epi8(text, line_ends));
    float value = 0;
    p = scan_plain_cell(p, text, is_end, value);
    if (p == nullptr) return {};
    columns[count] = index;
    values[count] = value;
    count += !is_plain_zero(value);
    if (*p++ == '\n') return count;
    range.least = index + 1;
  }
}

#endif

}  // namespace

const char* scan_floats(const char* begin, const char* from, const char* end, char delimiter,
                        float* values, std::size_t count) {
#ifdef SIEVE_AVX2
  if (kHasAvx2) return scan_floats_avx2(begin, from, end, delimiter, values, count);
#endif
  for (std::size_t i = 0; i < count && from != nullptr; ++i)
    from = scan_cell(from, end, delimiter, values[i]);
  return from;
}

// Only the fast way: where there is none, callers have a careful one of their own.
std::optional<std::size_t> scan_entries([[maybe_unused]] const char* begin,
                                        [[maybe_unused]] const char* from,
                                        [[maybe_unused]] const char* end,
                                        [[maybe_unused]] IndexRange range,
                                        [[maybe_unused]] std::uint32_t* columns,
                                        [[maybe_unused]] float* values) {
#ifdef SIEVE_AVX2
  if (kHasAvx2) return scan_entries_avx2(begin, from, end, range, columns, values);
#endif
  return std::nullopt;
}

}  // namespace sieve
