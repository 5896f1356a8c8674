#pragma once

#include <cstddef>

// Distributions that intervals stand on. The only file of this module that uses Boost.
namespace sieve {

double normal_quantile(double p);
double student_quantile(double p, double degrees);
double beta_quantile(double p, double a, double b);
// The mean at which a Poisson variable is `count` or more with probability p.
double poisson_mean(std::size_t count, double p);
// P(X <= successes) of trials with the chance `p`.
double binomial_cdf(std::size_t successes, std::size_t trials, double p);

// Of `drawn` cells out of `cells`, of which `marked` are ones: P(X <= ones) and P(X >= ones).
struct Tails {
  double lower = 0, upper = 0;
};
Tails hypergeometric_tails(std::size_t ones, std::size_t drawn, std::size_t marked,
                           std::size_t cells);

}  // namespace sieve
