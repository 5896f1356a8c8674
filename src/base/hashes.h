#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
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

// SHA-256 (FIPS 180-4) of bytes that come piece by piece.
class Sha256 {
 public:
  void add(std::string_view bytes);
  void add_number(std::uint64_t number);  // 8 bytes, the low ones first
  void add_text(std::string_view text);   // its length and its bytes
  std::string hex();                      // 64 digits; nothing can be added afterwards

 private:
  void take_block();

  std::array<std::uint32_t, 8> state_ = {0x6a09e667U, 0xbb67ae85U, 0x3c6ef372U, 0xa54ff53aU,
                                         0x510e527fU, 0x9b05688cU, 0x1f83d9abU, 0x5be0cd19U};
  std::array<unsigned char, 64> block_{};
  std::size_t used_ = 0;
  std::uint64_t bytes_ = 0;
};

}  // namespace sieve
