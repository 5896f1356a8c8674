#include "methods/pml_gan/step.h"

#include "nn/losses.h"

namespace sieve {
namespace {

constexpr Mode kTraining{.training = true};

}  // namespace

template <class Real>
GanStep<Real>::GanStep(const PerNetwork<MlpSpec>& specs, std::size_t rows, std::size_t prior_rows)
    : networks_{Mlp<Real>(specs.predictor), Mlp<Real>(specs.disambiguator),
                Mlp<Real>(specs.generator), Mlp<Real>(specs.discriminator)},
      contexts_{networks_.predictor.context(rows),     networks_.disambiguator.context(rows),
                networks_.generator.context(rows),     networks_.generator.context(prior_rows),
                networks_.discriminator.context(rows), networks_.discriminator.context(prior_rows)},
      gradients_{Array<Real>(networks_.predictor.parameter_count()),
                 Array<Real>(networks_.disambiguator.parameter_count()),
                 Array<Real>(networks_.generator.parameter_count()),
                 Array<Real>(networks_.discriminator.parameter_count())},
      labels_(rows, networks_.predictor.outputs()) {}

template <class Real>
void GanStep<Real>::see_labels(ThreadPool& pool, const PerNetwork<Array<Real>>& parameters,
                               const GanBatch<Real>& batch, const Mode& mode) {
  networks_.predictor.forward(pool, parameters.predictor.data(), nullptr, batch.features, mode,
                              contexts_.predictor);
  const Mode other{mode.training, mode.seed + 1, mode.step};
  networks_.disambiguator.forward(pool, parameters.disambiguator.data(), nullptr, batch.features,
                                  other, contexts_.disambiguator);
  labels_.see(batch.candidates, contexts_.disambiguator.output());
}

template <class Real>
GanLosses GanStep<Real>::generator_side(ThreadPool& pool, const PerNetwork<Array<Real>>& parameters,
                                        const GanBatch<Real>& batch, View<const Real> prior,
                                        const GanObjective& objective) {
  GanLosses losses;
  const bool reconstructs = objective.generation != 0, deceives = objective.adversarial != 0;
  if (reconstructs) losses.generation = reconstruct(pool, parameters, batch, objective);
  if (deceives) losses.adversarial = deceive(pool, parameters, batch, prior, objective);
  const View<const Real> f = contexts_.predictor.output(), a = contexts_.disambiguator.output();
  losses.classification =
      labels_.classify(batch, objective, f, a, contexts_.predictor.output_gradient());
  losses.disambiguation =
      labels_.disambiguate(batch, objective, f, a, contexts_.disambiguator.output_gradient());
  networks_.predictor.backward(pool, parameters.predictor.data(), contexts_.predictor,
                               {.gradients = gradients_.predictor.data()});
  networks_.disambiguator.backward(pool, parameters.disambiguator.data(), contexts_.disambiguator,
                                   {.gradients = gradients_.disambiguator.data()});
  return losses;
}

// L_g: the generator should make x from z.
template <class Real>
double GanStep<Real>::reconstruct(ThreadPool& pool, const PerNetwork<Array<Real>>& parameters,
                                  const GanBatch<Real>& batch, const GanObjective& objective) {
  MlpContext<Real>& context = contexts_.reconstruction;
  networks_.generator.forward(pool, parameters.generator.data(), nullptr, {.dense = confidence()},
                              kTraining, context);
  const double loss = squared_error<Real>(context.output(), batch.scaled,
                                          mean_weight<Real>(objective.generation, context.rows),
                                          context.output_gradient());
  networks_.generator.backward(
      pool, parameters.generator.data(), context,
      {.gradients = gradients_.generator.data(), .inputs = labels_.confidence_gradient()});
  return loss;
}

template <class Real>
void GanStep<Real>::generate_and_judge(ThreadPool& pool, const PerNetwork<Array<Real>>& parameters,
                                       const GanBatch<Real>& batch, View<const Real> prior) {
  networks_.generator.forward(pool, parameters.generator.data(), nullptr, {.dense = prior},
                              kTraining, contexts_.generation);
  networks_.discriminator.forward(pool, parameters.discriminator.data(), nullptr,
                                  {.dense = contexts_.generation.output(), .centre = batch.centre},
                                  kTraining, contexts_.fake);
}

// The adversarial loss, through D (which stays as it is) into G.
template <class Real>
double GanStep<Real>::deceive(ThreadPool& pool, const PerNetwork<Array<Real>>& parameters,
                              const GanBatch<Real>& batch, View<const Real> prior,
                              const GanObjective& objective) {
  generate_and_judge(pool, parameters, batch, prior);
  const double loss = adversarial<Real>(
      contexts_.fake.output(), objective.saturating ? Wish::NotYetFound : Wish::Real,
      mean_weight<Real>(objective.adversarial, prior.rows), contexts_.fake.output_gradient());
  networks_.discriminator.backward(pool, parameters.discriminator.data(), contexts_.fake,
                                   {.inputs = contexts_.generation.output_gradient()});
  networks_.generator.backward(
      pool, parameters.generator.data(), contexts_.generation,
      {.gradients = gradients_.generator.data(), .add = objective.generation != 0});
  return loss;
}

template <class Real>
double GanStep<Real>::discriminator_side(ThreadPool& pool,
                                         const PerNetwork<Array<Real>>& parameters,
                                         const GanBatch<Real>& batch, View<const Real> prior) {
  const Real* weights = parameters.discriminator.data();
  generate_and_judge(pool, parameters, batch, prior);
  networks_.discriminator.forward(pool, weights, nullptr, batch.features, kTraining,
                                  contexts_.real);
  const double loss =
      adversarial<Real>(contexts_.real.output(), Wish::Real,
                        mean_weight<Real>(1, contexts_.real.rows),
                        contexts_.real.output_gradient()) +
      adversarial<Real>(contexts_.fake.output(), Wish::Fake, mean_weight<Real>(1, prior.rows),
                        contexts_.fake.output_gradient());
  Real* gradients = gradients_.discriminator.data();
  networks_.discriminator.backward(pool, weights, contexts_.fake, {.gradients = gradients});
  networks_.discriminator.backward(pool, weights, contexts_.real,
                                   {.gradients = gradients, .add = true});
  return loss;
}

template class GanStep<float>;
template class GanStep<double>;

}  // namespace sieve
