#include "nn/losses.h"

#include "nn/functions.h"

namespace sieve {
namespace {

// Sums term(i, j), which also sets the gradient.
template <class Real, class Term>
double sum_terms(View<const Real> over, Real weight, Term term) {
  double total = 0;
  for (std::size_t i = 0; i < over.rows; ++i) {
    Real row = 0;
    for (std::size_t j = 0; j < over.cols; ++j) row += term(i, j);
    total += static_cast<double>(row);
  }
  return static_cast<double>(weight) * total;
}

}  // namespace

template <class Real>
double cross_entropy(View<const Real> logits, View<const Real> targets, Real weight,
                     View<Real> gradient) {
  return sum_terms(logits, weight, [&](std::size_t i, std::size_t j) {
    const Real a = logits(i, j), t = targets(i, j);
    gradient(i, j) = weight * (sigmoid(a) - t);
    return softplus(a) - t * a;
  });
}

template <class Real>
double squared_error(View<const Real> output, View<const Real> target, Real weight,
                     View<Real> gradient) {
  return sum_terms(output, weight, [&](std::size_t i, std::size_t j) {
    const Real distance = output(i, j) - target(i, j);
    gradient(i, j) = 2 * weight * distance;
    return distance * distance;
  });
}

template <class Real>
double adversarial(View<const Real> logits, Wish wish, Real weight, View<Real> gradient) {
  const Real side = wish == Wish::Real ? Real(-1) : Real(1);
  const Real sign = wish == Wish::NotYetFound ? Real(-1) : Real(1);
  return sum_terms(logits, weight, [&](std::size_t i, std::size_t j) {
    const Real a = side * logits(i, j);
    gradient(i, j) = weight * sign * side * sigmoid(a);
    return sign * softplus(a);
  });
}

#define SIEVE_INSTANTIATE(Number)                                                              \
  template double cross_entropy(View<const Number>, View<const Number>, Number, View<Number>); \
  template double squared_error(View<const Number>, View<const Number>, Number, View<Number>); \
  template double adversarial(View<const Number>, Wish, Number, View<Number>);
SIEVE_INSTANTIATE(float)
SIEVE_INSTANTIATE(double)
#undef SIEVE_INSTANTIATE

}  // namespace sieve
