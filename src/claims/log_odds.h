#pragma once

#include <cmath>

namespace sieve::claims {

inline double logit(double p) {
  return std::log(p / (1 - p));
}
inline double logistic(double x) {
  return 1 / (1 + std::exp(-x));
}
// log(logistic(x)) without overflow.
inline double log_logistic(double x) {
  return x > 0 ? -std::log1p(std::exp(-x)) : x - std::log1p(std::exp(x));
}

}  // namespace sieve::claims
