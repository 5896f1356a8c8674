#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <span>
#include <string>

namespace sieve {

std::string percent_text(double share);              // "31.5 %"
std::string percent_range(double low, double high);  // "28.0 to 31.5 %"
std::string decimal_text(double value);              // two places, "-" for NaN
// "0.012", "0.00031", "2.1e-06": places enough to tell small ones apart.
std::string probability_text(double probability);
std::string count_text(std::size_t count, const std::string& thing);  // "1 row", "2 rows"
// The first `most` bytes or so in one line, with "…" where something was cut off.
std::string excerpt(std::string text, std::size_t most);
std::string clock_text(double seconds);  // "12 s", "3:20 min", "2:05 h"
// part / whole, 0 if both are 0.
double share_of(std::size_t part, std::size_t whole);

std::string bytes_text(double bytes);  // "1.2 MB"
// The same without allocating: `to` must be long enough and filled with zeros.
void write_bytes_text(std::span<char> to, double bytes);
inline std::string bytes_text(std::uint64_t bytes) {
  return bytes_text(static_cast<double>(bytes));
}

// "2026-01-31T12:00:00Z"
inline std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  std::array<char, 32> text{};
  return {text.data(), std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts)};
}

}  // namespace sieve
