#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

namespace sieve {

// What is known of parameters beforehand: each is near its centre, with this precision
// (1 / variance).
struct NormalPrior {
  std::vector<double> centre, precision;
};

struct BernoulliFit {
  std::vector<double> parameters;
  std::vector<double> covariance;  // p x p, by Laplace's method
  double log_likelihood = 0;       // without the prior
};

// One yes or no: how likely a yes is, and how that changes with each parameter (`slope` is filled).
// Likelihoods are strictly between 0 and 1.
struct BernoulliCase {
  double likely = 0;
  bool yes = false;
};
using BernoulliMean = std::function<BernoulliCase(
    std::size_t item, std::span<const double> parameters, std::span<double> slope)>;

// The most probable parameters given `count` answers, by Fisher scoring from `start` on. Never
// leaves a point for one less probable; costs count * p^2 per step.
BernoulliFit fit_bernoulli(std::size_t count, const BernoulliMean& mean, const NormalPrior& prior,
                           std::vector<double> start);

}  // namespace sieve
