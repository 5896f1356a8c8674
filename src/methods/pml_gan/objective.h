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

}  // namespace sieve
