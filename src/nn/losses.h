#pragma once

#include "nn/panel.h"

// Losses on a batch. Each returns weight * (sum of the loss over rows and columns); a mean over
// rows is weight = 1 / rows. Gradients carry the same weight and are set, not added.
namespace sieve {

// Cross entropy of sigmoid(logits) against targets in [0, 1]. The targets may themselves depend on
// parameters: d loss / d target = -weight * logit, which the caller takes from the logits.
template <class Real>
double cross_entropy(View<const Real> logits, View<const Real> targets, Real weight,
                     View<Real> gradient);

// (output - target)^2
template <class Real>
double squared_error(View<const Real> output, View<const Real> target, Real weight,
                     View<Real> gradient);

// What a discriminator's logit is asked to be. d = sigmoid(logit) is its belief that a row is real.
enum class Wish {
  Real,         // -log d
  Fake,         // -log(1 - d)
  NotYetFound,  // log(1 - d), the generator's loss as the paper has it: it saturates
};

template <class Real>
double adversarial(View<const Real> logits, Wish wish, Real weight, View<Real> gradient);

}  // namespace sieve
