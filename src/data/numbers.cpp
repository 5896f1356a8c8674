#include "data/numbers.h"

#include <charconv>
#include <cmath>

#include "data/text_lines.h"

namespace sieve {

const char* scan_float(const char* first, const char* last, float& value) {
  if (first != last && *first == '+') {
    ++first;
    if (first != last && *first == '-') return nullptr;
  }
  const auto [end, error] = std::from_chars(first, last, value);
  if (error == std::errc::result_out_of_range) {
    double wide = 0;
    const auto [wide_end, wide_error] = std::from_chars(first, last, wide);
    // Out of range for double as well: tiny if the exponent is negative.
    const bool tiny =
        wide_error == std::errc{}
            ? std::abs(wide) < 1
            : std::string_view(first, static_cast<std::size_t>(wide_end - first)).find("e-") !=
                  std::string_view::npos;
    if (!tiny) return nullptr;
    value = *first == '-' ? -0.0F : 0.0F;
    return wide_end;
  }
  if (error != std::errc{} || !std::isfinite(value)) return nullptr;
  return end;
}

bool parse_float(std::string_view text, float& value) {
  return !text.empty() &&
         scan_float(text.data(), text.data() + text.size(), value) == text.data() + text.size();
}

std::string number_problem(std::string_view text) {
  const std::string shown =
      "'" + std::string(text.substr(0, 40)) + (text.size() > 40 ? "..." : "") + "'";
  if (trimmed(text).empty()) return "a value is missing";
  double wide = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), wide);
  if (error == std::errc::result_out_of_range || (error == std::errc{} && std::isfinite(wide)))
    if (end == text.data() + text.size()) return shown + " is too large for a 32-bit number";
  if (error == std::errc{} && !std::isfinite(wide)) return shown + " is not a finite number";
  return shown + " is not a number";
}

void append_float(std::string& out, float value) {
  char digits[32];
  out.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
}

}  // namespace sieve
