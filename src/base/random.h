#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

namespace sieve {

// What a stream of random numbers is for. Streams of different purposes never overlap. The values
// are part of what a seed means: add at the end, never renumber.
enum class Purpose : std::uint32_t {
  Test = 0,
  Split = 1,
  Noise = 2,
  Synth = 3,
  Init = 4,
  Shuffle = 5,
  Dropout = 6,
  Prior = 7,
  Bootstrap = 8,
  Audit = 9,
};

// A random stream that is a pure function of (seed, purpose, step, row): any draw can be made in
// any order, on any thread, and comes out the same. Philox4x64-10 (Salmon et al., SC 2011).
// Cheap to construct (no state beyond 80 bytes); copyable; not to be shared between threads.
class Random {
 public:
  explicit Random(std::uint64_t seed, Purpose purpose, std::uint64_t step = 0,
                  std::uint64_t row = 0);

  std::uint64_t bits();  // 64 fair bits
  double uniform();      // [0, 1), multiples of 2^-53
  double uniform(double low, double high);
  double normal();  // mean 0, variance 1
  bool chance(double probability);
  std::size_t below(std::size_t bound);  // {0, ..., bound-1} without bias; bound > 0

  template <class T>
  void shuffle(std::span<T> items) {
    for (std::size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[below(i)]);
  }

 private:
  std::array<std::uint64_t, 2> key_;
  std::array<std::uint64_t, 4> counter_;
  std::array<std::uint64_t, 4> block_{};
  unsigned used_ = 4;
};

// The Philox4x64-10 block function, on which Random stands.
std::array<std::uint64_t, 4> philox4x64(std::array<std::uint64_t, 4> counter,
                                        std::array<std::uint64_t, 2> key);

}  // namespace sieve
