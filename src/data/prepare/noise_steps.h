#pragma once

#include <cstdint>

#include "labelsieve/dataset.h"

namespace sieve {

// Each protocol has its own streams. The numbers are part of what a seed means.
enum NoiseStep : std::uint64_t {
  kFill = 0,
  kExtra = 1,
  kPlausible = 2,
  kFlip = 3,
  kRates = 4,
  kAnnotators = 5,
  kCrowd = 6
};

// Of a crowd's numbers.
constexpr double kMostAnnotators = 1e5, kLeastRate = 1e-6, kMostSkills = 10;

// Makes the candidates of `data` its true labels; Error(Data) if they are not known.
void start_from_truth(Dataset& data);

}  // namespace sieve
