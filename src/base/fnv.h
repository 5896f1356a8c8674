#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace sieve {

// FNV-1a, one word at a time; each character of a text is a word. Its values are stored in
// checkpoints, models and result stores, which must keep matching.
class Fnv {
 public:
  void add(std::uint64_t word) { value_ = (value_ ^ word) * kPrime; }
  // As many words that are 0.
  void add_zeros(std::size_t count) {
    for (std::uint64_t power = kPrime; count > 0; count /= 2, power *= power)
      if (count % 2 == 1) value_ *= power;
  }
  void add(std::string_view text) {
    for (const char c : text) add(static_cast<unsigned char>(c));
  }
  std::uint64_t value() const { return value_; }

 private:
  static constexpr std::uint64_t kPrime = 0x100000001b3U;
  std::uint64_t value_ = 0xcbf29ce484222325U;
};

}  // namespace sieve
