#pragma once

#include "methods/pml_gan/label_terms.h"
#include "methods/pml_gan/objective.h"
#include "nn/adam.h"
#include "nn/wide_mlp.h"
#include "nn/wide_pair.h"

namespace sieve {

// Algorithm 1 for very many features: the same mathematics as GanStep, but with the optimiser's
// steps inside. Neither the rows that the generator makes nor the gradients of the layers that
// touch features are ever written out as a whole. Sizes and call order as GanStep: see_labels,
// generator_turn, discriminator_turn. GanBatch::scaled is not looked at: the generator should make
// what the networks see, with the centre of the batch added.
template <class Real>
class WideGan {
 public:
  WideGan(const PerNetwork<MlpSpec>& specs, std::size_t rows, std::size_t prior_rows,
          std::uint64_t seed, std::size_t kept_bytes = kKeptBytes);

  // Parameters as those of Mlp, which are the same for the same seed; but the generator's last
  // weights have one row a feature, input_stride apart.
  const Mlp<Real>& predictor() const { return predictor_.mlp(); }
  const Mlp<Real>& disambiguator() const { return disambiguator_.mlp(); }
  const LayerPlace& generated() const { return generated_; }
  PerNetwork<Array<Real>>& parameters() { return parameters_; }
  const PerNetwork<Array<Real>>& parameters() const { return parameters_; }
  PerNetwork<AdamState<Real>>& optimisers() { return optimisers_; }

  void see_labels(ThreadPool& pool, const GanBatch<Real>& batch, const Mode& mode);
  View<const Real> confidence() const { return labels_.confidence(); }
  // Moves F, D~ and G.
  GanLosses generator_turn(ThreadPool& pool, const AdamOptions& adam, const GanBatch<Real>& batch,
                           View<const Real> prior, const GanObjective& objective);
  // Moves D; returns mean -log D(x) + mean -log(1 - D(G(prior))).
  double discriminator_turn(ThreadPool& pool, const AdamOptions& adam, const GanBatch<Real>& batch,
                            View<const Real> prior);
  // Logits of D in the last discriminator_turn.
  View<const Real> real_logits() const { return discriminator_.output(real_); }
  View<const Real> fake_logits() const { return discriminator_.output(fake_); }

 private:
  PairWeights<Real> weights() const;
  double deceive(ThreadPool& pool, const GanBatch<Real>& batch, View<const Real> prior,
                 const GanObjective& objective);
  void generate_and_judge(ThreadPool& pool, const GanBatch<Real>& batch, View<const Real> prior);
  double move_generator(ThreadPool& pool, const AdamOptions& adam, const GanBatch<Real>& batch,
                        const GanObjective& objective);

  WideMlp<Real> predictor_, disambiguator_, discriminator_;
  Mlp<Real> trunk_;       // the generator without its last layer
  LayerPlace generated_;  // that layer
  WidePair<Real> pair_;
  PerNetwork<Array<Real>> parameters_;
  PerNetwork<AdamState<Real>> optimisers_;
  WidePass<Real> predicted_, disambiguated_, real_, fake_;
  MlpContext<Real> reconstruction_, generation_;  // of the trunk, on z and on the prior
  Array<Real> trunk_gradients_, base_;
  LabelTerms<Real> labels_;
};

}  // namespace sieve
