#pragma once

#include <bit>
#include <charconv>
#include <cstdint>
#include <string>

namespace sieve {

// Values as bytes for a pipe or a message, each as its length, a colon and its text.
class Packer {
 public:
  void text(const std::string& value) { bytes += std::to_string(value.size()) + ":" + value; }
  void whole(std::uint64_t value) { text(std::to_string(value)); }
  void real(double value) { whole(std::bit_cast<std::uint64_t>(value)); }
  std::string bytes;
};

// Once something is missing, `good` is false and everything after it is empty.
class Unpacker {
 public:
  // The bytes must outlive it.
  explicit Unpacker(const std::string& bytes) : at_(bytes.data()), end_(at_ + bytes.size()) {}

  std::string text() {
    std::size_t size = 0;
    const auto [colon, error] = std::from_chars(at_, end_, size);
    good = good && error == std::errc() && colon != end_ && *colon == ':' &&
           static_cast<std::size_t>(end_ - colon - 1) >= size;
    if (!good) return {};
    at_ = colon + 1 + size;
    return {colon + 1, size};
  }
  std::uint64_t whole() {
    const std::string digits = text();
    std::uint64_t value = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), value);
    return value;
  }
  double real() { return std::bit_cast<double>(whole()); }
  bool at_end() const { return good && at_ == end_; }

  bool good = true;

 private:
  const char* at_;
  const char* end_;
};

}  // namespace sieve
