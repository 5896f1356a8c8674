#include "base/random.h"

#include <cmath>
#include <numbers>

namespace sieve {
namespace {

struct Product {
  std::uint64_t high, low;
};

Product multiply(std::uint64_t a, std::uint64_t b) {
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(a) * b;
  return {static_cast<std::uint64_t>(product >> 64), static_cast<std::uint64_t>(product)};
}

}  // namespace

std::array<std::uint64_t, 4> philox4x64(std::array<std::uint64_t, 4> counter,
                                        std::array<std::uint64_t, 2> key) {
  for (int round = 0; round < 10; ++round) {
    const Product p0 = multiply(0xD2E7470EE14C6C93U, counter[0]);
    const Product p1 = multiply(0xCA5A826395121157U, counter[2]);
    counter = {p1.high ^ counter[1] ^ key[0], p1.low, p0.high ^ counter[3] ^ key[1], p0.low};
    key[0] += 0x9E3779B97F4A7C15U;
    key[1] += 0xBB67AE8584CAA73BU;
  }
  return counter;
}

Random::Random(std::uint64_t seed, Purpose purpose, std::uint64_t step, std::uint64_t row)
    : key_{seed, static_cast<std::uint64_t>(purpose)}, counter_{0, step, row, 0} {}

std::uint64_t Random::bits() {
  if (used_ == 4) {
    block_ = philox4x64(counter_, key_);
    ++counter_[0];
    used_ = 0;
  }
  return block_[used_++];
}

double Random::uniform() {
  return static_cast<double>(bits() >> 11) * 0x1p-53;
}

double Random::uniform(double low, double high) {
  return low + (high - low) * uniform();
}

double Random::normal() {
  const double radius = std::sqrt(-2 * std::log(1 - uniform()));  // 1 - u lies in (0, 1]
  return radius * std::cos(2 * std::numbers::pi * uniform());
}

bool Random::chance(double probability) {
  return uniform() < probability;
}

std::size_t Random::below(std::size_t bound) {
  // Lemire's multiplication with rejection of the few values that would be drawn too often.
  Product p = multiply(bits(), bound);
  if (p.low < bound)
    for (const std::uint64_t first_fair = (0 - bound) % bound; p.low < first_fair;)
      p = multiply(bits(), bound);
  return p.high;
}

}  // namespace sieve
