#include "data/text/write_share.h"

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

namespace sieve {
namespace {

constexpr unsigned kDigits = 9;  // tell any two float32 numbers apart

constexpr auto kPairs = [] {
  std::array<char, 200> pairs{};
  for (std::size_t n = 0; n < 100; ++n) {
    pairs[2 * n] = static_cast<char>('0' + n / 10);
    pairs[2 * n + 1] = static_cast<char>('0' + n % 10);
  }
  return pairs;
}();

void write_pair(char* to, std::uint32_t n) {
  std::memcpy(to, &kPairs[2 * n], 2);
}

void write_digits(char* to, std::uint32_t n) {
  const std::uint32_t high = n / 10000, low = n % 10000;
  to[0] = static_cast<char>('0' + high / 10000);
  write_pair(to + 1, high / 100 % 100);
  write_pair(to + 3, high % 100);
  write_pair(to + 5, low / 100);
  write_pair(to + 7, low % 100);
}

}  // namespace

// value = significand / 2^shift. Times a power of ten it has nine digits before the point and is
// still exact in 64 bits, and so are the ends of the interval that rounds to it. No number of nine
// digits lies on an end (that would need more factors of 2 than there are), so the shortest decimal
// is the multiple of the largest power of ten inside. Branches that depend on the digits would cost
// more than trying all of them.
char* write_share(char* to, float value) {
  constexpr std::array<std::uint64_t, 4> kTens = {1000000000, 10000000000, 100000000000,
                                                  1000000000000};
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t fraction = bits & 0x7fffffU;
  // A power of two has a longer interval above than below.
  if (!(value >= 1e-4F && value < 1) || fraction == 0) return nullptr;
  const unsigned zeros =
      unsigned{value < 0.1F} + unsigned{value < 0.01F} + unsigned{value < 0.001F};
  const std::uint64_t ten = kTens[zeros], exact = (fraction | 0x800000U) * ten;
  const unsigned shift = 150 - (bits >> 23);
  const std::uint64_t half = std::uint64_t{1} << (shift - 1);
  if ((exact & (half - 1)) == 0) return nullptr;  // there may be two nearest ones

  const auto whole = [&](std::uint64_t x) { return static_cast<std::uint32_t>(x >> shift); };
  const std::uint32_t below = whole(exact - ten / 2), last = whole(exact + ten / 2);
  const auto fits = [&](std::uint32_t n) { return n - below - 1 < last - below; };
  const auto rounded = [&](std::uint32_t unit) { return (whole(exact) + unit / 2) / unit * unit; };
  const std::uint32_t in_tens = rounded(10), in_hundreds = rounded(100), short_one = rounded(1000);
  std::uint32_t digits = whole(exact + half);
  digits = fits(in_tens) ? in_tens : digits;
  digits = fits(in_hundreds) ? in_hundreds : digits;
  const bool is_short = fits(short_one);
  if (is_short) [[unlikely]]
    digits = short_one;

  std::memcpy(to, "0.000", 5);
  char* first = to + 2 + zeros;
  write_digits(first, digits);
  char* end = first + kDigits - fits(in_tens) - fits(in_hundreds);
  if (is_short) [[unlikely]]
    while (end[-1] == '0') --end;
  return zeros == 3 && end == first + 1 ? nullptr : end;  // 1e-04 is shorter
}

}  // namespace sieve
