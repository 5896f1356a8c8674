#include "metrics/studentized_range.h"

#include <boost/math/distributions/normal.hpp>
#include <boost/math/quadrature/gauss_kronrod.hpp>
#include <boost/math/tools/toms748_solve.hpp>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <numeric>

namespace sieve {
namespace {

const boost::math::normal kNormal;

double upper_tail(double z) {
  return cdf(complement(kNormal, z));
}

// P(range > q). With z the smallest value, the others all lie above it with probability a^(count-1)
// and within q of it with probability (a - b)^(count-1); a, b are the tails beyond z, z + q. The
// difference is taken through expm1 and log1p so that small probabilities keep their digits.
double chance_beyond(double q, double count) {
  const auto density = [&](double z) {
    const double a = upper_tail(z), b = upper_tail(z + q);
    const double within = std::expm1((count - 1) * std::log1p(-b / a));
    return -pdf(kNormal, z) * std::pow(a, count - 1) * within;
  };
  // Beyond 12 deviations nothing is left that a double can represent.
  constexpr double kTail = 12;
  using Rule = boost::math::quadrature::gauss_kronrod<double, 31>;
  return count * Rule::integrate(density, -kTail - q / 2, kTail, 12, 1e-13);
}

}  // namespace

double studentized_range(std::size_t count, double level) {
  const auto k = static_cast<double>(count);
  // The union bound over all pairs is never too small.
  const double high = std::numbers::sqrt2 * quantile(complement(kNormal, level / (k * (k - 1))));
  const auto excess = [&](double q) { return std::log(chance_beyond(q, k) / level); };
  std::uintmax_t steps = 100;
  const auto bracket = boost::math::tools::toms748_solve(
      excess, 0.0, high * (1 + 1e-9), boost::math::tools::eps_tolerance<double>(45), steps);
  return std::midpoint(bracket.first, bracket.second);
}

}  // namespace sieve
