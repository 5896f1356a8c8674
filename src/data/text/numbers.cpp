#include "data/text/numbers.h"

#include <fmt/format.h>
#include <charconv>
#include <cmath>
#include <cstdint>

#include "data/text/exact_float.h"
#include "data/text/text_lines.h"
#include "data/text/write_share.h"

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

}  // namespace sieve
