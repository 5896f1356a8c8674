#pragma once

#include <vector>

#include "methods/pml_gan/label_terms.h"

namespace sieve {

// One value for each of the four networks of PML-GAN.
template <class T>
struct PerNetwork {
  T predictor, disambiguator, generator, discriminator;  // paper: F, D~, G, D
};

// Gradients of one iteration of Algorithm 1. All memory is taken at construction. Call order:
// see_labels, then generator_side with the prior's label vectors (which may be drawn from
// confidence()), an optimiser step on F, D~ and G, then discriminator_side and a step on D.
//
// With a team, each rank is given its rows of the batch and of the prior, as the parts have them;
// losses and gradients are those of all ranks.
template <class Real>
class GanStep {
 public:
  // At most `rows` rows a batch and `prior_rows` label vectors from the prior.
  GanStep(const PerNetwork<MlpSpec>& specs, std::size_t rows, std::size_t prior_rows,
          const BatchParts& parts = BatchParts());

  const PerNetwork<Mlp<Real>>& networks() const { return networks_; }
  PerNetwork<Array<Real>> initial_parameters(std::uint64_t seed) const;

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
  // Sets gradients().discriminator; returns mean -log D(x) + mean -log(1 - D(G(prior))), of which
  // each rank has its share.
  double discriminator_side(ThreadPool& pool, const PerNetwork<Array<Real>>& parameters,
                            const GanBatch<Real>& batch, View<const Real> prior);
  // Each begins with the gradients of its network.
  PerNetwork<Array<Real>>& gradients() { return gradients_; }

  // Contexts of the passes, to look at: logits of D on real and generated rows, batch statistics.
  struct Contexts {
    MlpContext<Real> predictor, disambiguator;
    MlpContext<Real> reconstruction, generation;  // G on z and on the prior
    MlpContext<Real> real, fake;                  // D on x and on generated rows
  };
  const Contexts& contexts() const { return contexts_; }

 private:
  // Each leaves its losses in part_losses_.
  void judge_labels(const GanBatch<Real>& batch, const GanObjective& objective);
  void reconstruct(ThreadPool& pool, const PerNetwork<Array<Real>>& parameters,
                   const GanBatch<Real>& batch, const GanObjective& objective);
  void deceive(ThreadPool& pool, const PerNetwork<Array<Real>>& parameters,
               const GanBatch<Real>& batch, View<const Real> prior, const GanObjective& objective);
  void generate_and_judge(ThreadPool& pool, const PerNetwork<Array<Real>>& parameters,
                          const GanBatch<Real>& batch, View<const Real> prior);
  // part_losses_ = loss(rows) for each part of this rank of a batch of `rows` rows.
  template <class Loss>
  void for_parts(std::size_t rows, double GanLosses::*which, const Loss& loss);
  GanLosses gathered_losses();
  void sum(ThreadPool& pool, const Mlp<Real>& network, Array<Real>& gradients);

  PerNetwork<Mlp<Real>> networks_;
  BatchParts parts_;
  Contexts contexts_;
  PerNetwork<Array<Real>> gradients_;
  std::vector<GanLosses> part_losses_;
  LabelTerms<Real> labels_;
};

}  // namespace sieve
