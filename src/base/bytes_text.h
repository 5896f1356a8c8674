#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace sieve {

std::string bytes_text(double bytes);  // "1.2 MB"
// The same without allocating: `to` must be long enough and filled with zeros.
void write_bytes_text(std::span<char> to, double bytes);
inline std::string bytes_text(std::uint64_t bytes) {
  return bytes_text(static_cast<double>(bytes));
}

}  // namespace sieve
