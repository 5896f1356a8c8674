#include "methods/comes/risks.h"

#include <algorithm>
#include <cmath>

#include "nn/functions.h"

namespace sieve {
namespace {

// Adds one row's pairs to `gradient`, which is set, and returns their sum. With e = exp(logit),
// sigmoid(a_j - a_k) is e_j / (e_j + e_k): an exponential a label and not a pair.
template <class Real>
double add_pairs(std::span<const Real> logits, const Real* candidate, std::span<const Real> weight,
                 std::span<Real> e, Real* gradient) {
  const std::size_t labels = logits.size();
  const Real top = *std::ranges::max_element(logits);
  for (std::size_t k = 0; k < labels; ++k) e[k] = exponential(logits[k] - top);
  std::fill_n(gradient, labels, Real(0));
  double total = 0;
  for (std::size_t j = 0; j < labels; ++j) {
    const Real w = (1 - candidate[j]) * weight[j];
    if (w == 0) continue;
    Real sum = Real(-0.5), slopes = 0;  // k = j, which is no pair, gives 1/2
    for (std::size_t k = 0; k < labels; ++k) {
      const Real s = e[j] / (e[j] + e[k]), slope = w * s * (1 - s);
      sum += s;
      slopes += slope;
      gradient[k] -= slope;
    }
    gradient[j] += slopes;
    total += static_cast<double>(w * sum);
  }
  return total;
}

}  // namespace

template <class Real>
double hamming_risk(View<const Real> logits, View<const Real> candidates,
                    std::span<const Real> weight, std::span<Real> room, View<Real> gradient) {
  const std::size_t labels = logits.cols;
  const std::span<Real> positive = room.first(labels), negative = room.last(labels);
  std::ranges::fill(room, Real(0));
  for (std::size_t i = 0; i < logits.rows; ++i)
    for (std::size_t j = 0; j < labels; ++j) {
      const Real a = logits(i, j), w = (1 - candidates(i, j)) * weight[j];
      const Real irrelevant = softplus(a);
      positive[j] += (1 - w) * (irrelevant - a);
      negative[j] += w * irrelevant;
    }
  const Real scale = Real(1) / static_cast<Real>(logits.rows * labels);
  double risk = 0;
  for (std::size_t j = 0; j < labels; ++j) {
    risk += static_cast<double>(std::abs(positive[j]) + negative[j]);
    positive[j] = positive[j] < 0 ? -scale : scale;  // the slope of |P_j|
  }
  for (std::size_t i = 0; i < logits.rows; ++i)
    for (std::size_t j = 0; j < labels; ++j) {
      const Real p = sigmoid(logits(i, j)), w = (1 - candidates(i, j)) * weight[j];
      gradient(i, j) = positive[j] * (1 - w) * (p - 1) + scale * w * p;
    }
  return static_cast<double>(scale) * risk;
}

template <class Real>
double ranking_risk(View<const Real> logits, View<const Real> candidates,
                    std::span<const Real> weight, double flood, std::span<Real> room,
                    View<Real> gradient) {
  const std::size_t labels = logits.cols;
  const std::size_t pairs = std::max<std::size_t>(labels * (labels - 1) / 2, 1);
  const double scale = 1 / static_cast<double>(logits.rows * pairs);
  double risk = 0;
  for (std::size_t i = 0; i < logits.rows; ++i)
    risk += scale * add_pairs<Real>({logits.row(i), labels}, candidates.row(i), weight, room,
                                    gradient.row(i));
  const Real slope = static_cast<Real>(risk < flood ? -scale : scale);
  for (std::size_t i = 0; i < logits.rows; ++i)
    for (std::size_t j = 0; j < labels; ++j) gradient(i, j) *= slope;
  return std::abs(risk - flood) + flood;
}

#define SIEVE_INSTANTIATE(Number)                                                               \
  template double hamming_risk(View<const Number>, View<const Number>, std::span<const Number>, \
                               std::span<Number>, View<Number>);                                \
  template double ranking_risk(View<const Number>, View<const Number>, std::span<const Number>, \
                               double, std::span<Number>, View<Number>);
SIEVE_INSTANTIATE(float)
SIEVE_INSTANTIATE(double)
#undef SIEVE_INSTANTIATE

}  // namespace sieve
