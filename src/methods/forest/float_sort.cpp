#include "methods/forest/float_sort.h"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

namespace sieve {
namespace {

constexpr std::size_t kFew = 128;  // are sorted faster by comparing them
constexpr std::uint32_t kSign = 1U << 31;

// Whole numbers in the order of the numbers.
std::uint32_t key_of(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  return (bits & kSign) != 0 ? ~bits : bits | kSign;
}

float value_of(std::uint32_t key) {
  return std::bit_cast<float>((key & kSign) != 0 ? key & ~kSign : ~key);
}

}  // namespace

// By one byte of the keys after another, the last first.
void sort_floats(std::span<float> values, std::vector<std::uint32_t>& room) {
  if (values.size() < kFew) {
    std::ranges::sort(values);
    return;
  }
  room.resize(2 * values.size());
  std::uint32_t *from = room.data(), *to = from + values.size();
  std::array<std::array<std::uint32_t, 256>, 4> places{};
  for (std::size_t i = 0; i < values.size(); ++i) {
    from[i] = key_of(values[i]);
    for (std::size_t b = 0; b < 4; ++b) ++places[b][from[i] >> (8 * b) & 255];
  }
  for (std::size_t b = 0; b < 4; ++b) {
    std::uint32_t first = 0;
    for (std::uint32_t& place : places[b]) first += std::exchange(place, first);
    for (std::size_t i = 0; i < values.size(); ++i)
      to[places[b][from[i] >> (8 * b) & 255]++] = from[i];
    std::swap(from, to);
  }
  std::ranges::transform(std::span(from, values.size()), values.begin(), value_of);
}

}  // namespace sieve
