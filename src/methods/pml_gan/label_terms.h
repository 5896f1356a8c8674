#pragma once

#include "methods/pml_gan/step.h"

namespace sieve {

// The weight of a mean over rows.
template <class Real>
Real mean_weight(double weight, std::size_t rows) {
  return static_cast<Real>(weight / static_cast<double>(rows));
}

// The terms of the generator side's objective that are about labels: what F and D~ say of a batch,
// the losses L_c and L_d and their gradients. f and a are the logits of F and D~.
template <class Real>
class LabelTerms {
 public:
  LabelTerms(std::size_t rows, std::size_t labels);

  // z = y * sigmoid(-a)
  void see(View<const Real> candidates, View<const Real> a);
  // z of the batch: the confidence that a candidate is right, and where its gradient has to stand
  // before disambiguate (if the objective has a generation loss).
  View<const Real> confidence() const { return confidence_.view(rows_); }
  View<Real> confidence_gradient() { return confidence_gradient_.view(rows_); }

  // Call classify first.
  double classify(const GanBatch<Real>& batch, const GanObjective& objective, View<const Real> f,
                  View<const Real> a, View<Real> gradient);
  double disambiguate(const GanBatch<Real>& batch, const GanObjective& objective,
                      View<const Real> f, View<const Real> a, View<Real> gradient) const;

 private:
  std::size_t rows_ = 0;
  Panel<Real> confidence_, confidence_gradient_, belief_, target_;
};

}  // namespace sieve
