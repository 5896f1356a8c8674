#include "crowd/bernoulli_fit.h"

#include <cmath>
#include <limits>

namespace sieve {
namespace {

constexpr int kSteps = 25;
constexpr int kHalvings = 12;
constexpr double kEnough = 0.02;  // of log-probability: far below what data can tell apart

// What one pass over the answers yields at a point.
struct Pass {
  double log_likelihood = 0, log_probability = 0;
  std::vector<double> gradient, information;  // p, p x p (lower half)
};

Pass look_around(std::size_t count, const BernoulliMean& mean, const NormalPrior& prior,
                 const std::vector<double>& at) {
  const std::size_t p = at.size();
  Pass pass;
  pass.gradient.assign(p, 0);
  pass.information.assign(p * p, 0);
  std::vector<double> slope(p);
  for (std::size_t item = 0; item < count; ++item) {
    const BernoulliCase answer = mean(item, at, slope);
    pass.log_likelihood += std::log(answer.yes ? answer.likely : 1 - answer.likely);
    const double certainty = 1 / (answer.likely * (1 - answer.likely));
    const double pull = ((answer.yes ? 1 : 0) - answer.likely) * certainty;
    for (std::size_t j = 0; j < p; ++j) {
      pass.gradient[j] += pull * slope[j];
      const double scaled = certainty * slope[j];
      for (std::size_t k = 0; k <= j; ++k) pass.information[j * p + k] += scaled * slope[k];
    }
  }
  pass.log_probability = pass.log_likelihood;
  for (std::size_t j = 0; j < p; ++j) {
    const double away = at[j] - prior.centre[j];
    pass.log_probability -= prior.precision[j] * away * away / 2;
    pass.gradient[j] -= prior.precision[j] * away;
    pass.information[j * p + j] += prior.precision[j];
  }
  return pass;
}

// Cholesky's factor of the lower half, in place; small enough to do without OpenBLAS. A direction
// about which nothing is known gets a very small certainty.
void factorise(std::vector<double>& a, std::size_t p) {
  for (std::size_t j = 0; j < p; ++j) {
    const double before = a[j * p + j];
    for (std::size_t k = 0; k < j; ++k) a[j * p + j] -= a[j * p + k] * a[j * p + k];
    a[j * p + j] = std::sqrt(std::max(a[j * p + j], 1e-9 * before + 1e-12));
    for (std::size_t i = j + 1; i < p; ++i) {
      for (std::size_t k = 0; k < j; ++k) a[i * p + j] -= a[i * p + k] * a[j * p + k];
      a[i * p + j] /= a[j * p + j];
    }
  }
}

std::vector<double> solve(const std::vector<double>& factor, std::vector<double> b) {
  const std::size_t p = b.size();
  for (std::size_t i = 0; i < p; ++i) {
    for (std::size_t k = 0; k < i; ++k) b[i] -= factor[i * p + k] * b[k];
    b[i] /= factor[i * p + i];
  }
  for (std::size_t i = p; i-- > 0;) {
    for (std::size_t k = i + 1; k < p; ++k) b[i] -= factor[k * p + i] * b[k];
    b[i] /= factor[i * p + i];
  }
  return b;
}

std::vector<double> inverse(const std::vector<double>& factor, std::size_t p) {
  std::vector<double> out(p * p);
  for (std::size_t j = 0; j < p; ++j) {
    std::vector<double> unit(p, 0);
    unit[j] = 1;
    const std::vector<double> column = solve(factor, std::move(unit));
    for (std::size_t i = 0; i < p; ++i) out[i * p + j] = column[i];
  }
  return out;
}

}  // namespace

BernoulliFit fit_bernoulli(std::size_t count, const BernoulliMean& mean, const NormalPrior& prior,
                           std::vector<double> start) {
  const std::size_t p = start.size();
  std::vector<double> at = std::move(start);
  Pass here = look_around(count, mean, prior, at);
  factorise(here.information, p);
  for (int step = 0; step < kSteps; ++step) {
    const std::vector<double> direction = solve(here.information, here.gradient);
    double gain = 0;
    double length = 1;
    for (int halving = 0; halving < kHalvings && gain <= 0; ++halving, length /= 2) {
      std::vector<double> there = at;
      for (std::size_t j = 0; j < p; ++j) there[j] += length * direction[j];
      Pass next = look_around(count, mean, prior, there);
      gain = next.log_probability - here.log_probability;
      if (!(gain > 0)) continue;
      at = std::move(there);
      here = std::move(next);
      factorise(here.information, p);
    }
    if (!(gain > kEnough)) break;
  }
  return {at, inverse(here.information, p), here.log_likelihood};
}

}  // namespace sieve
