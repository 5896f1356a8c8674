#pragma once

#include <initializer_list>

#include "nn/mlp.h"

namespace sieve {

// The terms of the two objectives (paper: Eq. 4) and their weights. A weight of 0 leaves a term
// out, and the networks that only it needs are not run: that makes the paper's ablations.
struct GanObjective {
  bool calibrated = true;
  double classification = 1;  // L_c, a mean over rows of a sum over labels
  double generation = 1;      // L_g, a mean over rows of a sum over features
  double adversarial = 0.1;   // beta
  bool saturating = false;    // log(1 - D) instead of -log D for the generator
  // Of the calibrated objective only:
  double disambiguation = 3;  // L_d
  double noise_share = 0.5;   // how much of F's target comes from the noise model, not from D~
};

struct GanLosses {
  double classification = 0, generation = 0, adversarial = 0, disambiguation = 0;

  GanLosses& operator+=(const GanLosses& other) {
    for (double GanLosses::*loss : {&GanLosses::classification, &GanLosses::generation,
                                    &GanLosses::adversarial, &GanLosses::disambiguation})
      this->*loss += other.*loss;
    return *this;
  }
};

// A minibatch. `features` is what F, D~ and D see, `scaled` the same rows as the generator should
// make them, `candidates` is 0 or 1. Generated rows have `centre` taken off before D sees them.
// The calibrated objective has its Delta*, how likely a candidate is noise, from one of two:
// `right`, how likely each label is right where votes tell, or `log_noise_rates` (one per label).
template <class Real>
struct GanBatch {
  Input<Real> features;
  View<const Real> scaled, candidates;
  const Real* centre = nullptr;
  const Real* log_noise_rates = nullptr;
  // With those of other ranks; 0: what is given is all.
  std::size_t batch_rows = 0, batch_prior = 0;
  View<const Real> right{};       // no rows: the noise model says
  const Real* weights = nullptr;  // how much each row counts for F and D~; null: all alike

  std::size_t all_rows() const { return batch_rows > 0 ? batch_rows : candidates.rows; }
  std::size_t all_prior(View<const Real> prior) const {
    return batch_prior > 0 ? batch_prior : prior.rows;
  }
};

// The weight of a mean over rows.
template <class Real>
Real mean_weight(double weight, std::size_t rows) {
  return static_cast<Real>(weight / static_cast<double>(rows));
}

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
