#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/random.h"

namespace sieve {

// Sparse features of a synthetic set, made as a text makes words: half of the draws are common
// words, the others come from themes, of which there are two to each hidden unit (the unit high,
// the unit low). The lower a feature's number, the more frequent it is.
class SynthWords {
 public:
  SynthWords(std::size_t features, std::size_t entries) : features_(features), entries_(entries) {}

  // Draws until `entries` different features were met: appends them in ascending order, and for
  // each 1 + log(times it was drawn).
  void row(std::span<const double> units, Random& random, std::vector<std::uint32_t>& columns,
           std::vector<float>& values) const;

 private:
  std::size_t features_, entries_;
};

}  // namespace sieve
