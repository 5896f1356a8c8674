#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

// Functions of one number. Those on float are written so that compilers turn loops over them into
// vector instructions; they are within a few units in the last place of the exact value.
namespace sieve {

inline double exponential(double x) {
  return std::exp(x);
}

// e^x = 2^n * e^r with |r| <= log(2)/2. Inputs beyond +-87 are taken as +-87.
inline float exponential(float x) {
  x = std::min(std::max(x, -87.0F), 87.0F);
  constexpr float kRounder = 12582912.0F;  // 1.5 * 2^23: adding it rounds to an integer
  const float shifted = x * 1.44269504F + kRounder;
  const float n = shifted - kRounder;
  const float r = (x - n * 0.693359375F) + n * 2.12194440e-4F;
  float p = 1.9875691500e-4F;  // minimax polynomial of (e^r - 1 - r) / r^2
  p = p * r + 1.3981999507e-3F;
  p = p * r + 8.3334519073e-3F;
  p = p * r + 4.1665795894e-2F;
  p = p * r + 1.6666665459e-1F;
  p = p * r + 5.0000001201e-1F;
  const float power = std::bit_cast<float>((std::bit_cast<std::int32_t>(shifted) << 23) +
                                           (std::int32_t{127} << 23));
  return (p * r * r + r + 1.0F) * power;
}

template <class Real>
Real sigmoid(Real x) {
  return Real(1) / (Real(1) + exponential(-x));
}

template <class Real>
Real hyperbolic_tangent(Real x) {
  return Real(1) - Real(2) / (exponential(x + x) + Real(1));
}

inline double logarithm_plus_one(double x) {
  return std::log1p(x);
}

// log(1 + x) for x in [0, 1]: twice the inverse hyperbolic tangent of x / (2 + x), by its series.
inline float logarithm_plus_one(float x) {
  const float s = x / (2.0F + x), z = s * s;
  float p = 1.0F / 15;
  p = p * z + 1.0F / 13;
  p = p * z + 1.0F / 11;
  p = p * z + 1.0F / 9;
  p = p * z + 1.0F / 7;
  p = p * z + 1.0F / 5;
  p = p * z + 1.0F / 3;
  return 2 * (s * z * p + s);
}

// log(1 + e^x) without overflow.
template <class Real>
Real softplus(Real x) {
  return std::max(x, Real(0)) + logarithm_plus_one(exponential(-std::abs(x)));
}

}  // namespace sieve
