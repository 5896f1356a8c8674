#include "base/format_text.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

namespace sieve {

std::string percent_text(double share) {
  if (std::isnan(share)) return "-";
  if (share > 0 && share < 0.0005) return "< 0.1 %";
  if (share < 1 && share >= 0.9995) return "> 99.9 %";
  return fmt::format("{:.1f} %", 100 * share);
}

std::string percent_range(double low, double high) {
  return fmt::format("{:.1f} to {:.1f} %", 100 * low, 100 * high);
}

std::string decimal_text(double value) {
  return std::isnan(value) ? "-" : fmt::format("{:.2f}", value);
}

std::string probability_text(double probability) {
  if (std::isnan(probability)) return "-";
  return probability < 0.0005 ? "< 0.001" : fmt::format("{:.3f}", probability);
}

std::string count_text(std::size_t count, const std::string& thing) {
  return fmt::format("{} {}{}", count, thing, count == 1 ? "" : "s");
}

std::string clock_text(double seconds) {
  const auto whole = static_cast<long>(seconds + 0.5);
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{}:{:02} min", whole / 60, whole % 60);
  return fmt::format("{}:{:02} h", whole / 3600, whole / 60 % 60);
}

double share_of(std::size_t part, std::size_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

std::string excerpt(std::string text, std::size_t most) {
  std::ranges::replace(text, '\n', ' ');
  if (text.size() <= most) return text;
  std::size_t end = most;  // not inside a character
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0U) == 0x80U) --end;
  return text.substr(0, end) + "\u2026";
}

void write_bytes_text(std::span<char> to, double bytes) {
  static constexpr std::array kUnits = {"bytes", "kB", "MB", "GB", "TB", "PB"};
  std::size_t unit = 0;
  for (; bytes >= (unit == 0 ? 1000 : 999.95) && unit + 1 < kUnits.size(); ++unit) bytes /= 1000;
  fmt::format_to_n(to.data(), to.size() - 1, "{:.{}f} {}", bytes, unit == 0 ? 0 : 1, kUnits[unit]);
}

std::string bytes_text(double bytes) {
  std::array<char, 32> text{};
  write_bytes_text(text, bytes);
  return text.data();
}

}  // namespace sieve
