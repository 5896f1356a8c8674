#include "base/bytes_text.h"

#include <array>

#include <fmt/format.h>

namespace sieve {

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
