#pragma once

#include "methods/pml_gan/objective.h"
#include "methods/pml_gan/players.h"
#include "nn/wide_mlp.h"

namespace sieve {

// For very many features: the same mathematics as GanStep, but with the optimisers' steps inside.
// Neither the rows that the generator makes nor the gradients of the layers that touch features
// are written out as a whole. All memory is taken at construction; same bits for any number of
// threads.
//
// Parameters are laid out as those of Mlp, and begin as those of GanStep with the same seed; but
// the generator's last weights have one row per feature, input_stride apart.
template <class Real>
class WideGan final : public GanPlayers<Real> {
 public:
  // At most `rows` rows a batch and `prior_rows` label vectors from the prior.
  WideGan(const PerNetwork<MlpSpec>& specs, std::size_t rows, std::size_t prior_rows,
          std::uint64_t seed, std::size_t kept_bytes = kKeptBytes);

  const Mlp<Real>& predictor() const override { return predictor_.mlp(); }
  const Mlp<Real>& disambiguator() const override { return disambiguator_.mlp(); }
  const LayerPlace& generated() const override { return generated_; }
  bool needs_scaled() const override { return false; }

  void see_labels(ThreadPool& pool, const GanBatch<Real>& batch, const Mode& mode) override;
  View<const Real> confidence() const override { return labels_.confidence(); }
  GanLosses generator_turn(ThreadPool& pool, const AdamOptions& adam, const GanBatch<Real>& batch,
                           View<const Real> prior, const GanObjective& objective) override;
  double discriminator_turn(ThreadPool& pool, const AdamOptions& adam, const GanBatch<Real>& batch,
                            View<const Real> prior) override;
  View<const Real> real_logits() const override { return discriminator_.output(real_); }
  View<const Real> fake_logits() const override { return discriminator_.output(fake_); }

 private:
  using GanPlayers<Real>::parameters_;
  using GanPlayers<Real>::optimisers_;
  using typename GanPlayers<Real>::Rows;
  using typename GanPlayers<Real>::Buffers;
  PairWeights<Real> weights() const;
  void move_labeller(ThreadPool& pool, const AdamOptions& adam, WideMlp<Real>& network,
                     WidePass<Real>& pass, Rows& rows, const Buffers& buffers);
  double deceive(ThreadPool& pool, const GanBatch<Real>& batch, View<const Real> prior,
                 const GanObjective& objective);
  void generate_and_judge(ThreadPool& pool, const GanBatch<Real>& batch, View<const Real> prior);
  double move_generator(ThreadPool& pool, const AdamOptions& adam, const GanBatch<Real>& batch,
                        const GanObjective& objective);

  WideMlp<Real> predictor_, disambiguator_, discriminator_;
  Mlp<Real> trunk_;       // the generator without its last layer
  LayerPlace generated_;  // that layer
  WidePair<Real> pair_;
  WidePass<Real> predicted_, disambiguated_, real_, fake_;
  MlpContext<Real> reconstruction_, generation_;  // of the trunk, on z and on the prior
  Array<Real> trunk_gradients_, base_;
  LabelTerms<Real> labels_;
};

}  // namespace sieve
