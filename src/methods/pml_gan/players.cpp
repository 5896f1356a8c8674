#include "methods/pml_gan/players.h"

#include "base/random.h"
#include "methods/pml_gan/step.h"
#include "methods/pml_gan/wide_gan.h"

namespace sieve {
namespace {

template <class Real>
AdamState<Real> adam_for(const Array<Real>& parameters) {
  return AdamState<Real>(parameters.size());
}

}  // namespace

template <class Real>
PerNetwork<Array<Real>> initial_parameters(const PerNetwork<MlpSpec>& specs, std::uint64_t seed) {
  const auto begin = [seed](const MlpSpec& spec, std::uint64_t network) {
    return Mlp<Real>(spec).initial_parameters(Random(seed, Purpose::Init, network).bits());
  };
  return {begin(specs.predictor, 0), begin(specs.disambiguator, 1), begin(specs.generator, 2),
          begin(specs.discriminator, 3)};
}

template PerNetwork<Array<float>> initial_parameters<float>(const PerNetwork<MlpSpec>&,
                                                            std::uint64_t);
template PerNetwork<Array<double>> initial_parameters<double>(const PerNetwork<MlpSpec>&,
                                                              std::uint64_t);

template <class Real>
GanPlayers<Real>::GanPlayers(PerNetwork<Array<Real>> parameters)
    : parameters_(std::move(parameters)),
      optimisers_{adam_for(parameters_.predictor), adam_for(parameters_.disambiguator),
                  adam_for(parameters_.generator), adam_for(parameters_.discriminator)} {}

template <class Real>
void GanPlayers<Real>::start(AveragePace pace, const AdamOptions* lazily) {
  pace_ = pace;
  average_ = parameters_.predictor.clone();
  if (lazily == nullptr) return;
  predictor_rows_.emplace(predictor().layers().front(), *lazily, pace);
  disambiguator_rows_.emplace(disambiguator().layers().front(), *lazily, pace);
}

template <class Real>
typename GanPlayers<Real>::Buffers GanPlayers<Real>::predictor_buffers() {
  return {{parameters_.predictor.data(), parameters_.predictor.size()},
          optimisers_.predictor,
          {average_.data(), average_.size()}};
}

template <class Real>
typename GanPlayers<Real>::Buffers GanPlayers<Real>::disambiguator_buffers() {
  return {{parameters_.disambiguator.data(), parameters_.disambiguator.size()},
          optimisers_.disambiguator};
}

template <class Real>
void GanPlayers<Real>::mark_touched(ThreadPool& pool, const Input<Real>& batch) {
  if (!predictor_rows_) return;
  predictor_rows_->mark_touched(pool, batch, predictor_buffers());
  disambiguator_rows_->mark_touched(pool, batch, disambiguator_buffers());
}

template <class Real>
void GanPlayers<Real>::settle(ThreadPool& pool) {
  if (!predictor_rows_) return;
  predictor_rows_->settle(pool, predictor_buffers());
  disambiguator_rows_->settle(pool, disambiguator_buffers());
}

template class GanPlayers<float>;
template class GanPlayers<double>;

std::unique_ptr<GanPlayers<float>> make_players(const PerNetwork<MlpSpec>& specs, std::size_t rows,
                                                std::size_t prior_rows, const BatchParts& layout,
                                                std::uint64_t seed) {
  if (specs.predictor.inputs >= kWideFeatures && layout.count() == 1)
    return std::make_unique<WideGan<float>>(specs, rows, prior_rows, seed);
  return std::make_unique<GanStep<float>>(specs, rows, prior_rows, seed, layout);
}

}  // namespace sieve
