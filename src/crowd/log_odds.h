#pragma once

#include <algorithm>
#include <cmath>

namespace sieve {

// No probability of this module is nearer to 0 or 1 than that.
constexpr double kLeast = 1e-6;
// No rate of an annotator is nearer than that: log-odds of a rate stay within +-kFarthest.
constexpr double kFarthest = 9;

// Standard deviations on either side of a mean that hold nine tenths of a normal distribution.
constexpr double kNineTenths = 1.6448536269514722;

inline double kept_inside(double probability) {
  return std::min(std::max(probability, kLeast), 1 - kLeast);
}

inline double probability_of(double log_odds) {
  return 1 / (1 + std::exp(-log_odds));
}

inline double log_odds_of(double probability) {
  const double inside = kept_inside(probability);
  return std::log(inside / (1 - inside));
}

}  // namespace sieve
