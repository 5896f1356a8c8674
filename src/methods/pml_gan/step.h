#pragma once

#include "nn/losses.h"
#include "nn/mlp.h"

namespace sieve {

// One value for each of the four networks of PML-GAN.
template <class T>
struct PerNetwork {
  T predictor, disambiguator, generator, discriminator;  // paper: F, D~, G, D
};

// The terms of the two objectives and their weights. A weight of 0 leaves a term out, and the
// networks that only it needs are not run: that makes the paper's ablations.
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
};

// A minibatch. `features` is what F, D~ and D see, `scaled` the same rows as the generator should
// make them, `candidates` is 0 or 1. Generated rows have `centre` taken off before D sees them.
// `log_noise_rates` (one a label) is needed by the calibrated objective only.
template <class Real>
struct GanBatch {
  Input<Real> features;
  View<const Real> scaled, candidates;
  const Real* centre = nullptr;
  const Real* log_noise_rates = nullptr;
};

// Gradients of one iteration of Algorithm 1. All memory is taken at construction. Call order:
// see_labels, then generator_side with the prior's label vectors (which may be drawn from
// confidence()), an optimiser step on F, D~ and G, then discriminator_side and a step on D.
template <class Real>
class GanStep {
 public:
  // At most `rows` rows a batch and `prior_rows` label vectors from the prior.
  GanStep(const PerNetwork<MlpSpec>& specs, std::size_t rows, std::size_t prior_rows);

  const PerNetwork<Mlp<Real>>& networks() const { return networks_; }
  PerNetwork<Array<Real>> initial_parameters(std::uint64_t seed) const;

  // f = F(x), a = D~(x), z = y * sigmoid(-a). `mode` gives the dropout masks.
  void see_labels(ThreadPool& pool, const PerNetwork<Array<Real>>& parameters,
                  const GanBatch<Real>& batch, const Mode& mode);
  // z of the batch: the confidence that a candidate is right.
  View<const Real> confidence() const { return confidence_.view(rows_); }
  View<const Real> logits() const { return contexts_.predictor.output(); }

  // Sets gradients().predictor, .disambiguator and .generator.
  GanLosses generator_side(ThreadPool& pool, const PerNetwork<Array<Real>>& parameters,
                           const GanBatch<Real>& batch, View<const Real> prior,
                           const GanObjective& objective);
  // Sets gradients().discriminator; returns mean -log D(x) + mean -log(1 - D(G(prior))).
  double discriminator_side(ThreadPool& pool, const PerNetwork<Array<Real>>& parameters,
                            const GanBatch<Real>& batch, View<const Real> prior);
  PerNetwork<Array<Real>>& gradients() { return gradients_; }

  // Contexts of the passes, to look at: logits of D on real and generated rows, batch statistics.
  struct Contexts {
    MlpContext<Real> predictor, disambiguator;
    MlpContext<Real> reconstruction, generation;  // G on z and on the prior
    MlpContext<Real> real, fake;                  // D on x and on generated rows
  };
  const Contexts& contexts() const { return contexts_; }

 private:
  double classify(const GanBatch<Real>& batch, const GanObjective& objective);
  double disambiguate(const GanBatch<Real>& batch, const GanObjective& objective);
  double reconstruct(ThreadPool& pool, const PerNetwork<Array<Real>>& parameters,
                     const GanBatch<Real>& batch, const GanObjective& objective);
  double deceive(ThreadPool& pool, const PerNetwork<Array<Real>>& parameters,
                 const GanBatch<Real>& batch, View<const Real> prior,
                 const GanObjective& objective);
  void generate_and_judge(ThreadPool& pool, const PerNetwork<Array<Real>>& parameters,
                          const GanBatch<Real>& batch, View<const Real> prior);

  PerNetwork<Mlp<Real>> networks_;
  Contexts contexts_;
  PerNetwork<Array<Real>> gradients_;
  std::size_t rows_ = 0;
  Panel<Real> confidence_, confidence_gradient_, belief_, target_;
};

}  // namespace sieve
