#pragma once

#include "methods/pml_gan/label_terms.h"
#include "methods/pml_gan/objective.h"

namespace sieve {

// Gradients of one iteration of Algorithm 1. All memory is taken at construction. Call order:
// see_labels, then generator_side with the prior's label vectors (which may be drawn from
// confidence()), an optimiser step on F, D~ and G, then discriminator_side and a step on D.
template <class Real>
class GanStep {
 public:
  // At most `rows` rows a batch and `prior_rows` label vectors from the prior.
  GanStep(const PerNetwork<MlpSpec>& specs, std::size_t rows, std::size_t prior_rows);

  const PerNetwork<Mlp<Real>>& networks() const { return networks_; }
  PerNetwork<Array<Real>> initial_parameters(std::uint64_t seed) const {
    return sieve::initial_parameters(networks_, seed);
  }

  // f = F(x), a = D~(x), z = y * sigmoid(-a). `mode` gives the dropout masks.
  void see_labels(ThreadPool& pool, const PerNetwork<Array<Real>>& parameters,
                  const GanBatch<Real>& batch, const Mode& mode);
  // z of the batch: the confidence that a candidate is right.
  View<const Real> confidence() const { return labels_.confidence(); }
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
  LabelTerms<Real> labels_;
};

}  // namespace sieve
