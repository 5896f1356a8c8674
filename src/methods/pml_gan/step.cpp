#include "methods/pml_gan/step.h"

#include <algorithm>

#include "nn/losses.h"

namespace sieve {
namespace {

constexpr Mode training(std::size_t batch_rows) {
  return {.training = true, .batch_rows = batch_rows};
}

}  // namespace

template <class Real>
GanStep<Real>::GanStep(const PerNetwork<MlpSpec>& specs, std::size_t rows, std::size_t prior_rows,
                       std::uint64_t seed, const BatchParts& parts)
    : GanPlayers<Real>(initial_parameters<Real>(specs, seed)),
      networks_{Mlp<Real>(specs.predictor), Mlp<Real>(specs.disambiguator),
                Mlp<Real>(specs.generator), Mlp<Real>(specs.discriminator)},
      parts_(parts),
      contexts_{networks_.predictor.context(rows, parts),
                networks_.disambiguator.context(rows, parts),
                networks_.generator.context(rows, parts),
                networks_.generator.context(prior_rows, parts),
                networks_.discriminator.context(rows, parts),
                networks_.discriminator.context(prior_rows, parts)},
      gradients_{Array<Real>(parts.buffers() * networks_.predictor.parameter_count()),
                 Array<Real>(parts.buffers() * networks_.disambiguator.parameter_count()),
                 Array<Real>(parts.buffers() * networks_.generator.parameter_count()),
                 Array<Real>(parts.buffers() * networks_.discriminator.parameter_count())},
      part_losses_(parts.count()),
      labels_(parts.most_of_mine(rows), networks_.predictor.outputs()) {}

template <class Real>
void GanStep<Real>::see_labels(ThreadPool& pool, const GanBatch<Real>& batch, const Mode& mode) {
  this->mark_touched(pool, batch.features);
  const Mode own{mode.training, mode.seed, mode.step, batch.all_rows()};
  networks_.predictor.forward(pool, parameters_.predictor.data(), batch.features, own,
                              contexts_.predictor);
  const Mode other{mode.training, mode.seed + 1, mode.step, batch.all_rows()};
  networks_.disambiguator.forward(pool, parameters_.disambiguator.data(), batch.features, other,
                                  contexts_.disambiguator);
  labels_.see(batch.candidates, contexts_.disambiguator.output());
}

// L_c + L_g + beta L_adv without the part that is D's    paper: Eq. 4, the gradient descent of
// Algorithm 1.
template <class Real>
GanLosses GanStep<Real>::generator_side(ThreadPool& pool, const GanBatch<Real>& batch,
                                        View<const Real> prior, const GanObjective& objective) {
  std::ranges::fill(part_losses_, GanLosses());
  const bool reconstructs = objective.generation != 0, deceives = objective.adversarial != 0;
  if (reconstructs) reconstruct(pool, batch, objective);
  if (deceives) deceive(pool, batch, prior, objective);
  if (reconstructs || deceives) sum(pool, networks_.generator, gradients_.generator);
  judge_labels(batch, objective);
  networks_.predictor.backward(
      pool, parameters_.predictor.data(), contexts_.predictor,
      {.gradients = gradients_.predictor.data(), .first_weights = !predictor_rows_});
  networks_.disambiguator.backward(
      pool, parameters_.disambiguator.data(), contexts_.disambiguator,
      {.gradients = gradients_.disambiguator.data(), .first_weights = !disambiguator_rows_});
  sum(pool, networks_.predictor, gradients_.predictor);
  sum(pool, networks_.disambiguator, gradients_.disambiguator);
  return gathered_losses();
}

template <class Real>
template <class Loss>
void GanStep<Real>::for_parts(std::size_t rows, double GanLosses::*which, const Loss& loss) {
  for (std::size_t i = 0; i < parts_.mine(); ++i)
    part_losses_[parts_.first() + i].*which = loss(parts_.my_part(i, rows));
}

template <class Real>
GanLosses GanStep<Real>::gathered_losses() {
  parts_.gather(std::span<GanLosses>(part_losses_));
  GanLosses all = part_losses_.front();
  for (std::size_t part = 1; part < part_losses_.size(); ++part) all += part_losses_[part];
  return all;
}

template <class Real>
void GanStep<Real>::sum(ThreadPool& pool, const Mlp<Real>& network, Array<Real>& gradients) {
  parts_.sum(pool, std::span<Real>(gradients.data(), gradients.size()), network.parameter_count());
}

template <class Real>
void GanStep<Real>::judge_labels(const GanBatch<Real>& batch, const GanObjective& objective) {
  const LabelLogits<Real> logits{contexts_.predictor.output(), contexts_.disambiguator.output(),
                                 contexts_.predictor.output_gradient(),
                                 contexts_.disambiguator.output_gradient()};
  for_parts(batch.all_rows(), &GanLosses::classification, [&](BatchParts::Rows rows) {
    return labels_.classify(batch, objective, logits, rows);
  });
  for_parts(batch.all_rows(), &GanLosses::disambiguation, [&](BatchParts::Rows rows) {
    return labels_.disambiguate(batch, objective, logits, rows);
  });
}

// L_g    paper: Eq. 3. The generator should make x from z.
template <class Real>
void GanStep<Real>::reconstruct(ThreadPool& pool, const GanBatch<Real>& batch,
                                const GanObjective& objective) {
  MlpContext<Real>& context = contexts_.reconstruction;
  networks_.generator.forward(pool, parameters_.generator.data(), {.dense = confidence()},
                              training(batch.all_rows()), context);
  const Real weight = mean_weight<Real>(objective.generation, batch.all_rows());
  for_parts(batch.all_rows(), &GanLosses::generation, [&](BatchParts::Rows rows) {
    return squared_error<Real>(context.output().slice(rows.first, rows.last),
                               batch.scaled.slice(rows.first, rows.last), weight,
                               context.output_gradient().slice(rows.first, rows.last));
  });
  networks_.generator.backward(
      pool, parameters_.generator.data(), context,
      {.gradients = gradients_.generator.data(), .inputs = labels_.confidence_gradient()});
}

template <class Real>
void GanStep<Real>::generate_and_judge(ThreadPool& pool, const GanBatch<Real>& batch,
                                       View<const Real> prior) {
  const Mode mode = training(batch.all_prior(prior));
  networks_.generator.forward(pool, parameters_.generator.data(), {.dense = prior}, mode,
                              contexts_.generation);
  networks_.discriminator.forward(pool, parameters_.discriminator.data(),
                                  {.dense = contexts_.generation.output(), .centre = batch.centre},
                                  mode, contexts_.fake);
}

// The part of L_adv that G can change, through D (which stays as it is)    paper: Eq. 2.
template <class Real>
void GanStep<Real>::deceive(ThreadPool& pool, const GanBatch<Real>& batch, View<const Real> prior,
                            const GanObjective& objective) {
  generate_and_judge(pool, batch, prior);
  const std::size_t count = batch.all_prior(prior);
  for_parts(count, &GanLosses::adversarial, [&](BatchParts::Rows rows) {
    return adversarial<Real>(contexts_.fake.output().slice(rows.first, rows.last),
                             objective.saturating ? Wish::NotYetFound : Wish::Real,
                             mean_weight<Real>(objective.adversarial, count),
                             contexts_.fake.output_gradient().slice(rows.first, rows.last));
  });
  networks_.discriminator.backward(pool, parameters_.discriminator.data(), contexts_.fake,
                                   {.inputs = contexts_.generation.output_gradient()});
  networks_.generator.backward(
      pool, parameters_.generator.data(), contexts_.generation,
      {.gradients = gradients_.generator.data(), .add = objective.generation != 0});
}

// -L_adv: what D can change    paper: Eq. 2, the gradient ascent at the end of Algorithm 1.
template <class Real>
double GanStep<Real>::discriminator_side(ThreadPool& pool, const GanBatch<Real>& batch,
                                         View<const Real> prior) {
  const Real* weights = parameters_.discriminator.data();
  generate_and_judge(pool, batch, prior);
  networks_.discriminator.forward(pool, weights, batch.features, training(batch.batch_rows),
                                  contexts_.real);
  const double loss = adversarial<Real>(contexts_.real.output(), Wish::Real,
                                        mean_weight<Real>(1, contexts_.real.batch_rows),
                                        contexts_.real.output_gradient()) +
                      adversarial<Real>(contexts_.fake.output(), Wish::Fake,
                                        mean_weight<Real>(1, batch.all_prior(prior)),
                                        contexts_.fake.output_gradient());
  Real* gradients = gradients_.discriminator.data();
  networks_.discriminator.backward(pool, weights, contexts_.fake, {.gradients = gradients});
  networks_.discriminator.backward(pool, weights, contexts_.real,
                                   {.gradients = gradients, .add = true});
  sum(pool, networks_.discriminator, gradients_.discriminator);
  return loss;
}

template <class Real>
GanLosses GanStep<Real>::generator_turn(ThreadPool& pool, const AdamOptions& adam,
                                        const GanBatch<Real>& batch, View<const Real> prior,
                                        const GanObjective& objective) {
  const GanLosses losses = generator_side(pool, batch, prior, objective);
  const auto descend_labeller = [&](const Mlp<Real>& network, auto& rows, const auto& context,
                                    const Array<Real>& gradients, const auto& buffers) {
    const std::size_t count = rows ? network.rest_count() : network.parameter_count();
    descend<Real>(pool, adam, this->pace_, rows ? &*rows : nullptr, context,
                  {gradients.data(), count}, buffers);
  };
  descend_labeller(networks_.predictor, predictor_rows_, contexts_.predictor, gradients_.predictor,
                   this->predictor_buffers());
  descend_labeller(networks_.disambiguator, disambiguator_rows_, contexts_.disambiguator,
                   gradients_.disambiguator, this->disambiguator_buffers());
  if (objective.adversarial != 0 || objective.generation != 0)
    move(pool, adam, &PerNetwork<Array<Real>>::generator, optimisers_.generator);
  return losses;
}

template <class Real>
double GanStep<Real>::discriminator_turn(ThreadPool& pool, const AdamOptions& adam,
                                         const GanBatch<Real>& batch, View<const Real> prior) {
  const double loss = discriminator_side(pool, batch, prior);
  move(pool, adam, &PerNetwork<Array<Real>>::discriminator, optimisers_.discriminator);
  return loss;
}

template <class Real>
void GanStep<Real>::move(ThreadPool& pool, const AdamOptions& adam,
                         Array<Real> PerNetwork<Array<Real>>::*which, AdamState<Real>& state) {
  const Array<Real>& gradients = gradients_.*which;
  Array<Real>& values = parameters_.*which;
  adam_step<Real>(pool, adam, {gradients.data(), gradients.size()}, state,
                  {values.data(), values.size()});
}

template class GanStep<float>;
template class GanStep<double>;

}  // namespace sieve
