#include "claims/quantiles.h"

#include <boost/math/distributions/beta.hpp>
#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <boost/math/special_functions/gamma.hpp>

#include <algorithm>
#include <cmath>

namespace sieve {
namespace {

double log_choose(double n, double k) {
  using boost::math::lgamma;
  return lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1);
}

// Adds up probabilities from `from` on by the ratio of neighbours, until they stop to matter.
template <class Ratio>
double tail(double first, Ratio&& ratio) {
  double sum = first, term = first;
  for (std::size_t step = 0; term > sum * 1e-17; ++step) {
    term *= ratio(step);
    sum += term;
  }
  return std::min(sum, 1.0);
}

}  // namespace

double normal_quantile(double p) {
  return quantile(boost::math::normal(), p);
}

double student_quantile(double p, double degrees) {
  return quantile(boost::math::students_t(degrees), p);
}

double beta_quantile(double p, double a, double b) {
  return quantile(boost::math::beta_distribution<>(a, b), p);
}

double poisson_mean(std::size_t count, double p) {
  return boost::math::gamma_p_inv(static_cast<double>(count), p);
}

double binomial_cdf(std::size_t successes, std::size_t trials, double p) {
  if (successes >= trials) return 1;
  return cdf(boost::math::binomial(static_cast<double>(trials), p), static_cast<double>(successes));
}

Tails hypergeometric_tails(std::size_t ones, std::size_t drawn, std::size_t marked,
                           std::size_t cells) {
  if (ones > marked) return {1, 0};
  if (drawn - ones > cells - marked) return {0, 1};
  const auto k = static_cast<double>(ones), n = static_cast<double>(drawn),
             m = static_cast<double>(marked), all = static_cast<double>(cells);
  const double here = std::exp(log_choose(m, k) + log_choose(all - m, n - k) - log_choose(all, n));
  // p(x - 1) / p(x) and p(x + 1) / p(x); both are 0 at the ends.
  const double lower = tail(here, [&](std::size_t step) {
    const double x = k - static_cast<double>(step);
    return x * (all - m - n + x) / ((m - x + 1) * (n - x + 1));
  });
  const double upper = tail(here, [&](std::size_t step) {
    const double x = k + static_cast<double>(step);
    return (m - x) * (n - x) / ((x + 1) * (all - m - n + x + 1));
  });
  return {lower, upper};
}

}  // namespace sieve
