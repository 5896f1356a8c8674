#include <algorithm>
#include <array>
#include <cstdint>

#include "data/text/exact_float.h"
#include "data/text/numbers.h"
#include "linalg/entries.h"

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

constexpr std::size_t kWidth = 16;  // characters of a number looked at in one go
constexpr std::size_t kMostDigits = 15;
constexpr std::size_t kMostIndexDigits = 9;  // that many fit 32 bits

using Bytes = std::array<std::uint8_t, kWidth>;

const bool kHasAvx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
                      __builtin_cpu_supports("bmi2");

// Entry n keeps the last n bytes.
constexpr auto kLast = [] {
  std::array<Bytes, kWidth> keep{};
  for (std::size_t n = 0; n < kWidth; ++n)
    for (std::size_t k = kWidth - n; k < kWidth; ++k) keep[n][k] = 0xff;
  return keep;
}();

// Entry n takes out a decimal point in place n: all before it moves one place to the right. The
// last entry, for no point, changes nothing.
constexpr auto kWithoutPoint = [] {
  std::array<Bytes, kWidth> from{};
  for (std::size_t n = 0; n < kWidth; ++n)
    for (std::size_t k = 0; k < kWidth; ++k)
      from[n][k] = static_cast<std::uint8_t>(n != kWidth - 1 && k <= n ? k - 1 : k);
  return from;
}();

// What to divide by when the point is in place n; the other way round for a negative number.
constexpr auto kScale = [] {
  std::array<std::array<double, kWidth>, 2> scale{};
  for (std::size_t n = 0; n < kWidth; ++n) {
    scale[0][n] = kPowersOfTen[kWidth - 1 - n];
    scale[1][n] = -scale[0][n];
  }
  return scale;
}();

SIEVE_AVX2 inline __m128i load(const void* from) {
  return _mm_loadu_si128(static_cast<const __m128i*>(from));
}

SIEVE_AVX2 inline unsigned mask_of(__m256i bytes) {
  return static_cast<unsigned>(_mm256_movemask_epi8(bytes));
}

// Where two characters stand, found 64 bytes at a time: so the places of the next numbers are
// known before this one is read.
class Marks {
 public:
  SIEVE_AVX2 Marks(const char* from, const char* end, char a, char b)
      : from_(from), end_(end), a_(_mm256_set1_epi8(a)), b_(_mm256_set1_epi8(b)) {
    look();
  }

  // The next one, or the end.
  SIEVE_AVX2 const char* next() {
    while (found_ == 0) {
      if (end_ - from_ <= kReach) return end_;
      from_ += kReach;
      look();
    }
    const char* mark = from_ + _tzcnt_u64(found_);
    found_ = _blsr_u64(found_);
    return mark;
  }

 private:
  static constexpr std::ptrdiff_t kReach = 64;

  SIEVE_AVX2 void look() {
    if (end_ - from_ >= kReach) [[likely]] {
      found_ = marks_at(from_);
      return;
    }
    std::array<char, kReach> tail{};
    std::copy(from_, end_, tail.begin());
    found_ = marks_at(tail.data()) & ((std::uint64_t{1} << (end_ - from_)) - 1);
  }
  SIEVE_AVX2 std::uint64_t marks_at(const char* text) const {
    return half_at(text) | std::uint64_t{half_at(text + kReach / 2)} << (kReach / 2);
  }
  SIEVE_AVX2 unsigned half_at(const char* text) const {
    const __m256i bytes = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(text));
    return mask_of(_mm256_or_si256(_mm256_cmpeq_epi8(bytes, a_), _mm256_cmpeq_epi8(bytes, b_)));
  }

  const char *from_, *end_;
  __m256i a_, b_;
  std::uint64_t found_;
};

struct Cell {
  const char *first, *last;
};

SIEVE_AVX2 inline __m256i both(__m128i a, __m128i b) {
  return _mm256_inserti128_si256(_mm256_castsi128_si256(a), b, 1);
}

// The sixteen bytes before a place; what would lie before `begin` is 0.
SIEVE_AVX2 inline __m128i front_before(const char* begin, const char* place) {
  Bytes bytes{};
  const auto count = std::min<std::ptrdiff_t>(place - begin, kWidth);
  std::copy(place - count, place, bytes.end() - count);
  return load(bytes.data());
}

// The same for two places, the second not before the first.
SIEVE_AVX2 inline __m256i bytes_before(const char* begin, const char* a, const char* b) {
  if (a - begin >= static_cast<std::ptrdiff_t>(kWidth)) [[likely]]
    return both(load(a - kWidth), load(b - kWidth));
  return both(front_before(begin, a), front_before(begin, b));
}

// The last bytes before two places, less '0': digits become 0 to 9. All before them is 0.
SIEVE_AVX2 inline __m256i digits_of(__m256i text, std::size_t a_count, std::size_t b_count) {
  const __m256i kept = both(load(&kLast[a_count]), load(&kLast[b_count]));
  return _mm256_and_si256(_mm256_sub_epi8(text, _mm256_set1_epi8('0')), kept);
}

SIEVE_AVX2 inline unsigned others_in(__m256i digits) {
  return mask_of(_mm256_cmpeq_epi8(_mm256_max_epu8(digits, _mm256_set1_epi8(10)), digits));
}

// Two times sixteen digits as numbers of eight: {a's high, b's high, a's low, b's low}.
SIEVE_AVX2 inline __m128i eights_of(__m256i digits) {
  const __m256i twos = _mm256_maddubs_epi16(digits, _mm256_set1_epi16(1 << 8 | 10));
  const __m256i fours = _mm256_madd_epi16(twos, _mm256_set1_epi32(1 << 16 | 100));
  const __m256i eights =
      _mm256_madd_epi16(_mm256_packus_epi32(fours, fours), _mm256_set1_epi32(1 << 16 | 10000));
  return _mm_unpacklo_epi32(_mm256_castsi256_si128(eights), _mm256_extracti128_si256(eights, 1));
}

// The common case, two at a time and with no branch that depends on the digits: each cell is
// [-][digits][.]digits with at most 15 characters behind the sign. False for anything else.
SIEVE_AVX2 inline bool scan_pair(const char* begin, Cell a, Cell b, float* values) {
  constexpr unsigned kFirstBytes = 0x00010001, kLastBytes = 0x80008000;
  const std::size_t a_negative = *a.first == '-', b_negative = *b.first == '-';
  const auto a_count = static_cast<std::size_t>(a.last - a.first) - a_negative;
  const auto b_count = static_cast<std::size_t>(b.last - b.first) - b_negative;
  if (a_count - 1 >= kMostDigits || b_count - 1 >= kMostDigits) return false;
  const __m256i text = bytes_before(begin, a.last, b.last);
  const __m256i digits = digits_of(text, a_count, b_count);
  const unsigned points = mask_of(_mm256_cmpeq_epi8(digits, _mm256_set1_epi8('.' - '0')));
  if (others_in(digits) != points || (points & kLastBytes) != 0) return false;
  // With a bit in the last place of either, their first bits can be cleared together.
  const unsigned places = points | kLastBytes;
  if ((places & (places - kFirstBytes) & ~kLastBytes) != 0) return false;  // two points

  const std::size_t a_place = _tzcnt_u32(places), b_place = _tzcnt_u32(places >> kWidth);
  const __m256i moves = both(load(&kWithoutPoint[a_place]), load(&kWithoutPoint[b_place]));
  const __m256d eights = _mm256_cvtepi32_pd(eights_of(_mm256_shuffle_epi8(digits, moves)));
  const __m128d high = _mm_mul_pd(_mm256_castpd256_pd128(eights), _mm_set1_pd(1e8));
  const __m128d whole = _mm_add_pd(high, _mm256_extractf128_pd(eights, 1));
  const __m128d scale = _mm_set_pd(kScale[b_negative][b_place], kScale[a_negative][a_place]);
  const __m128d wide = _mm_div_pd(whole, scale);
  _mm_storel_pi(reinterpret_cast<__m64*>(values), _mm_cvtpd_ps(wide));
  const __m128i cut_off = _mm_and_si128(_mm_castpd_si128(wide), _mm_set1_epi64x(kCutOff));
  return _mm_testz_si128(_mm_cmpeq_epi64(cut_off, _mm_set1_epi64x(kHalf)), _mm_set1_epi8(-1)) != 0;
}

SIEVE_AVX2 const char* scan_floats_avx2(const char* begin, const char* p, const char* end,
                                        char delimiter, float* values, std::size_t count) {
  Marks marks(p, end, delimiter, delimiter);
  for (const float* last = values + count / 2 * 2; values != last; values += 2) {
    const char *middle = marks.next(), *stop = marks.next();
    if (stop != end && scan_pair(begin, {p, middle}, {middle + 1, stop}, values)) [[likely]] {
      p = stop + 1;
      continue;
    }
    p = scan_cell(p, end, delimiter, values[0]);
    if (p != nullptr) p = scan_cell(p, end, delimiter, values[1]);
    if (p == nullptr) return nullptr;
    marks = Marks(p, end, delimiter, delimiter);
  }
  return count % 2 == 0 ? p : scan_cell(p, end, delimiter, *values);
}

SIEVE_AVX2 inline bool scan_values(const char* begin, Cell a, Cell b, float* values) {
  return scan_pair(begin, a, b, values) || (scan_float(a.first, a.last, values[0]) == a.last &&
                                            scan_float(b.first, b.last, values[1]) == b.last);
}

struct Entry {
  std::uint32_t index;
  Cell value;
};

// The entry at p, its value not read yet.
SIEVE_AVX2 inline bool next_entry(Marks& marks, const char* p, const char* end, std::uint32_t least,
                                  Entry& entry) {
  const char* stop = marks.next();
  std::uint32_t index = 0;
  const char* colon = p;
  for (; colon != stop && is_digit(*colon); ++colon)
    index = 10 * index + static_cast<std::uint32_t>(*colon - '0');
  entry = {index, {colon + 1, stop}};
  const auto length = static_cast<std::size_t>(colon - p);
  return stop != end && *colon == ':' && length - 1 < kMostIndexDigits && index >= least;
}

SIEVE_AVX2 std::optional<std::size_t> scan_entries_avx2(const char* begin, const char* p,
                                                        const char* end, IndexRange range,
                                                        std::uint32_t* columns, float* values) {
  Marks marks(p, end, ' ', '\n');
  std::size_t count = 0;
  for (bool more = true; more;) {
    Entry a, b;
    if (!next_entry(marks, p, end, range.least, a)) return {};
    b = a;  // the last one of a line may stand alone
    const bool two = *a.value.last == ' ';
    if (two && !next_entry(marks, a.value.last + 1, end, a.index + 1, b)) return {};
    float value[2];
    if (b.index > range.most || !scan_values(begin, a.value, b.value, value)) return {};
    columns[count] = a.index;
    values[count] = value[0];
    count += !is_plain_zero(value[0]);
    columns[count] = b.index;
    values[count] = value[1];
    count += two && !is_plain_zero(value[1]);
    more = *b.value.last == ' ';
    p = b.value.last + 1;
    range.least = b.index + 1;
  }
  return count;
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
