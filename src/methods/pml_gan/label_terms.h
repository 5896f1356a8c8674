#pragma once

#include "methods/pml_gan/objective.h"

namespace sieve {

// The logits of F and D~ on a batch, and where their gradients go.
template <class Real>
struct LabelLogits {
  View<const Real> f, a;
  View<Real> f_gradient, a_gradient;
};

// The terms of the generator side's objective that are about labels: what F and D~ say of a batch,
// the losses L_c and L_d and their gradients. All memory is taken at construction.
template <class Real>
class LabelTerms {
 public:
  LabelTerms(std::size_t rows, std::size_t labels);

  // z = ReLU(y - D~(x)) = y * sigmoid(-a), as y is 0 or 1    paper: the constraint of Eq. 1
  void see(View<const Real> candidates, View<const Real> a);
  // z of the batch: the confidence that a candidate is right, and where its gradient has to stand
  // before disambiguate (if the objective has a generation loss).
  View<const Real> confidence() const { return confidence_.view(rows_); }
  View<Real> confidence_gradient() { return confidence_gradient_.view(rows_); }

  // What `rows` of the batch add to L_c and L_d, and the gradients there. Call classify first.
  double classify(const GanBatch<Real>& batch, const GanObjective& objective,
                  const LabelLogits<Real>& logits, BatchParts::Rows rows);
  double disambiguate(const GanBatch<Real>& batch, const GanObjective& objective,
                      const LabelLogits<Real>& logits, BatchParts::Rows rows) const;

 private:
  std::size_t rows_ = 0;
  Panel<Real> confidence_, confidence_gradient_, probability_, target_;
};

}  // namespace sieve
