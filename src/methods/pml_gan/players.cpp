#include "methods/pml_gan/players.h"

#include "methods/pml_gan/wide_gan.h"

namespace sieve {
namespace {

template <class Real>
AdamState<Real> adam_for(const Array<Real>& parameters) {
  return AdamState<Real>(parameters.size());
}

// All gradients are written out before the optimisers move.
class PlainGan final : public GanPlayers<float> {
 public:
  PlainGan(const PerNetwork<MlpSpec>& specs, std::size_t rows, std::size_t prior_rows,
           const BatchParts& layout, std::uint64_t seed)
      : PlainGan(GanStep<float>(specs, rows, prior_rows, layout), seed) {}

  const Mlp<float>& predictor() const override { return step_.networks().predictor; }
  const Mlp<float>& disambiguator() const override { return step_.networks().disambiguator; }
  const LayerPlace& generated() const override {
    return step_.networks().generator.layers().back();
  }
  bool needs_scaled() const override { return true; }
  View<const float> confidence() const override { return step_.confidence(); }
  View<const float> real_logits() const override { return step_.contexts().real.output(); }
  View<const float> fake_logits() const override { return step_.contexts().fake.output(); }

  void see_labels(ThreadPool& pool, const GanBatch<float>& batch, const Mode& mode) override {
    step_.see_labels(pool, parameters_, batch, mode);
  }

  GanLosses generator_turn(ThreadPool& pool, const AdamOptions& adam, const GanBatch<float>& batch,
                           View<const float> prior, const GanObjective& objective) override {
    const GanLosses losses = step_.generator_side(pool, parameters_, batch, prior, objective);
    move(pool, adam, &PerNetwork<Array<float>>::predictor, optimisers_.predictor);
    move(pool, adam, &PerNetwork<Array<float>>::disambiguator, optimisers_.disambiguator);
    if (objective.adversarial != 0 || objective.generation != 0)
      move(pool, adam, &PerNetwork<Array<float>>::generator, optimisers_.generator);
    return losses;
  }

  double discriminator_turn(ThreadPool& pool, const AdamOptions& adam, const GanBatch<float>& batch,
                            View<const float> prior) override {
    const double loss = step_.discriminator_side(pool, parameters_, batch, prior);
    move(pool, adam, &PerNetwork<Array<float>>::discriminator, optimisers_.discriminator);
    return loss;
  }

 private:
  PlainGan(GanStep<float> step, std::uint64_t seed)
      : GanPlayers(step.initial_parameters(seed)), step_(std::move(step)) {}

  void move(ThreadPool& pool, const AdamOptions& adam,
            Array<float> PerNetwork<Array<float>>::*which, AdamState<float>& state) {
    const Array<float>& gradients = step_.gradients().*which;
    Array<float>& values = parameters_.*which;
    adam_step<float>(pool, adam, {gradients.data(), gradients.size()}, state,
                     {values.data(), values.size()});
  }

  GanStep<float> step_;
};

}  // namespace

template <class Real>
GanPlayers<Real>::GanPlayers(PerNetwork<Array<Real>> parameters)
    : parameters_(std::move(parameters)),
      optimisers_{adam_for(parameters_.predictor), adam_for(parameters_.disambiguator),
                  adam_for(parameters_.generator), adam_for(parameters_.discriminator)} {}

template class GanPlayers<float>;
template class GanPlayers<double>;

std::unique_ptr<GanPlayers<float>> make_players(const PerNetwork<MlpSpec>& specs, std::size_t rows,
                                                std::size_t prior_rows, const BatchParts& layout,
                                                std::uint64_t seed) {
  if (specs.predictor.inputs >= kWideFeatures && layout.count() == 1)
    return std::make_unique<WideGan<float>>(specs, rows, prior_rows, seed);
  return std::make_unique<PlainGan>(specs, rows, prior_rows, layout, seed);
}

}  // namespace sieve
