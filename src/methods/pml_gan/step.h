#pragma once

#include <vector>

#include "methods/pml_gan/objective.h"
#include "methods/pml_gan/players.h"

namespace sieve {

// The players with all gradients written out before the optimisers move. All memory is taken at
// construction. The sides of an iteration can be had without the moves, to look at the gradients:
// see_labels, generator_side, then discriminator_side.
//
// With a team, each rank is given its rows of the batch and of the prior, as the parts have them;
// losses and gradients are those of all ranks.
template <class Real>
class GanStep final : public GanPlayers<Real> {
 public:
  // At most `rows` rows a batch and `prior_rows` label vectors from the prior.
  GanStep(const PerNetwork<MlpSpec>& specs, std::size_t rows, std::size_t prior_rows,
          std::uint64_t seed, const BatchParts& parts = BatchParts());

  const PerNetwork<Mlp<Real>>& networks() const { return networks_; }
  const Mlp<Real>& predictor() const override { return networks_.predictor; }
  const Mlp<Real>& disambiguator() const override { return networks_.disambiguator; }
  const LayerPlace& generated() const override { return networks_.generator.layers().back(); }
  bool needs_scaled() const override { return true; }

  // f = F(x), a = D~(x), z = y * sigmoid(-a). `mode` gives the dropout masks.
  void see_labels(ThreadPool& pool, const GanBatch<Real>& batch, const Mode& mode) override;
  View<const Real> confidence() const override { return labels_.confidence(); }
  GanLosses generator_turn(ThreadPool& pool, const AdamOptions& adam, const GanBatch<Real>& batch,
                           View<const Real> prior, const GanObjective& objective) override;
  double discriminator_turn(ThreadPool& pool, const AdamOptions& adam, const GanBatch<Real>& batch,
                            View<const Real> prior) override;
  View<const Real> real_logits() const override { return contexts_.real.output(); }
  View<const Real> fake_logits() const override { return contexts_.fake.output(); }

  // Sets gradients().predictor, .disambiguator and .generator.
  GanLosses generator_side(ThreadPool& pool, const GanBatch<Real>& batch, View<const Real> prior,
                           const GanObjective& objective);
  // Sets gradients().discriminator; returns mean -log D(x) + mean -log(1 - D(G(prior))), of which
  // each rank has its share.
  double discriminator_side(ThreadPool& pool, const GanBatch<Real>& batch, View<const Real> prior);
  // Each begins with the gradients of its network, without its first weights where they are moved
  // lazily.
  PerNetwork<Array<Real>>& gradients() { return gradients_; }

  // Contexts of the passes, to look at: outputs of every network, batch statistics.
  struct Contexts {
    MlpContext<Real> predictor, disambiguator;
    MlpContext<Real> reconstruction, generation;  // G on z and on the prior
    MlpContext<Real> real, fake;                  // D on x and on generated rows
  };
  const Contexts& contexts() const { return contexts_; }

 private:
  using GanPlayers<Real>::parameters_;
  using GanPlayers<Real>::optimisers_;
  using GanPlayers<Real>::predictor_rows_;
  using GanPlayers<Real>::disambiguator_rows_;
  // Each leaves its losses in part_losses_.
  void judge_labels(const GanBatch<Real>& batch, const GanObjective& objective);
  void reconstruct(ThreadPool& pool, const GanBatch<Real>& batch, const GanObjective& objective);
  void deceive(ThreadPool& pool, const GanBatch<Real>& batch, View<const Real> prior,
               const GanObjective& objective);
  void generate_and_judge(ThreadPool& pool, const GanBatch<Real>& batch, View<const Real> prior);
  // part_losses_ = loss(rows) for each part of this rank of a batch of `rows` rows.
  template <class Loss>
  void for_parts(std::size_t rows, double GanLosses::*which, const Loss& loss);
  GanLosses gathered_losses();
  void move(ThreadPool& pool, const AdamOptions& adam, Array<Real> PerNetwork<Array<Real>>::*which,
            AdamState<Real>& state);
  void sum(ThreadPool& pool, const Mlp<Real>& network, Array<Real>& gradients);

  PerNetwork<Mlp<Real>> networks_;
  BatchParts parts_;
  Contexts contexts_;
  PerNetwork<Array<Real>> gradients_;
  std::vector<GanLosses> part_losses_;
  LabelTerms<Real> labels_;
};

}  // namespace sieve
