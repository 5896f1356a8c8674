#include "data/text/numbers.h"

#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>

#include <fmt/format.h>

#include "data/text/exact_float.h"
#include "data/text/text_lines.h"

namespace sieve {
namespace {

constexpr int kMostDigits = 19;  // that many always fit a uint64
constexpr std::uint64_t kExactInDouble = std::uint64_t{1} << 53;
constexpr int kHugeExponent = 1 << 20;

bool is_digit(char c) {
  return static_cast<unsigned char>(c - '0') < 10;
}

// A decimal number taken apart: digits * 10^exponent. With more than kMostDigits digits the value
// of `digits` means nothing.
struct Decimal {
  std::uint64_t digits = 0;
  long digit_count = 0;  // from the first digit that is not 0
  long exponent = 0;
  bool negative = false;
};

const char* scan_digits(const char* p, const char* last, Decimal& number) {
  for (; p != last && is_digit(*p); ++p) {
    number.digits = number.digits * 10 + static_cast<std::uint64_t>(*p - '0');
    number.digit_count += (number.digits | static_cast<unsigned long>(number.digit_count)) != 0;
  }
  return p;
}

// The part from 'e' on; without a digit in it, it is no part of the number.
const char* scan_exponent(const char* p, const char* last, Decimal& number) {
  const char* q = p + 1;
  const bool negative = q != last && *q == '-';
  if (q != last && (*q == '-' || *q == '+')) ++q;
  if (q == last || !is_digit(*q)) return p;
  long exponent = 0;
  for (; q != last && is_digit(*q); ++q)
    if (exponent < kHugeExponent) exponent = exponent * 10 + (*q - '0');
  number.exponent += negative ? -exponent : exponent;
  return q;
}

// Null if there is no number.
const char* scan_decimal(const char* p, const char* last, Decimal& number) {
  if (p != last && (*p == '-' || *p == '+')) number.negative = *p++ == '-';
  const char* whole = p;
  p = scan_digits(p, last, number);
  std::ptrdiff_t length = p - whole;
  if (p != last && *p == '.') {
    const char* fraction = ++p;
    p = scan_digits(p, last, number);
    length += p - fraction;
    number.exponent = fraction - p;
  }
  if (length == 0) return nullptr;
  if (p != last && (*p == 'e' || *p == 'E')) p = scan_exponent(p, last, number);
  return p;
}

bool fast_float(const Decimal& number, float& value) {
  if (number.digit_count > kMostDigits || number.digits > kExactInDouble) return false;
  if (number.exponent < -kLargestExactPower || number.exponent > kLargestExactPower) return false;
  const double digits = static_cast<double>(number.digits);
  const double wide = number.exponent < 0 ? digits / kPowersOfTen[-number.exponent]
                                          : digits * kPowersOfTen[number.exponent];
  return round_to_float(wide, number.negative, value);
}

}  // namespace

const char* scan_float(const char* first, const char* last, float& value) {
  Decimal number;
  const char* end = scan_decimal(first, last, number);
  if (end == nullptr || fast_float(number, value)) return end;
  if (number.digit_count == 0 || number.digit_count + number.exponent < -60) {
    value = number.negative ? -0.0F : 0.0F;
    return end;
  }
  if (*first == '+') ++first;
  const auto [same_end, error] = std::from_chars(first, last, value);
  if (error == std::errc::result_out_of_range && number.digit_count + number.exponent < 0)
    value = number.negative ? -0.0F : 0.0F;
  else if (error != std::errc{} || !std::isfinite(value))
    return nullptr;
  return end;
}

bool parse_float(std::string_view text, float& value) {
  return !text.empty() &&
         scan_float(text.data(), text.data() + text.size(), value) == text.data() + text.size();
}

std::string number_problem(std::string_view text) {
  if (trimmed(text).empty()) return "a value is missing";
  const std::string shown =
      fmt::format("'{}{}'", text.substr(0, 40), text.size() > 40 ? "..." : "");
  const char* last = text.data() + text.size();
  Decimal number;
  float value = 0;
  if (parse_float(text, value)) return shown + " has the wrong decimal mark";
  if (scan_decimal(text.data(), last, number) == last)
    return shown + " is too large for a 32-bit number";
  const char* unsigned_text = text.data() + (text.front() == '+' || text.front() == '-');
  double wide = 0;
  if (std::from_chars(unsigned_text, last, wide).ptr == last)
    return shown + " is not a finite number";
  return shown + " is not a number";
}

char* write_float(char* to, float value) {
  char* end = write_share(to, value);
  return end != nullptr ? end : std::to_chars(to, to + kMostFloatChars, value).ptr;
}

void append_float(std::string& out, float value) {
  char digits[kMostFloatChars];
  out.append(digits, static_cast<std::size_t>(write_float(digits, value) - digits));
}

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
