#include "methods/pml_gan/step.h"

#include "nn/functions.h"

namespace sieve {
namespace {

constexpr Mode kTraining{.training = true};

template <class Real>
Real mean_weight(double weight, std::size_t rows) {
  return static_cast<Real>(weight / static_cast<double>(rows));
}

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
                 Array<Real>(networks_.discriminator.parameter_count())} {
  const std::size_t labels = networks_.predictor.outputs();
  for (Panel<Real>* panel : {&confidence_, &confidence_gradient_, &belief_, &target_})
    *panel = Panel<Real>(rows, labels);
}

template <class Real>
PerNetwork<Array<Real>> GanStep<Real>::initial_parameters(std::uint64_t seed) const {
  // Each network has a stream of its own.
  return {networks_.predictor.initial_parameters(Random(seed, Purpose::Init, 0).bits()),
          networks_.disambiguator.initial_parameters(Random(seed, Purpose::Init, 1).bits()),
          networks_.generator.initial_parameters(Random(seed, Purpose::Init, 2).bits()),
          networks_.discriminator.initial_parameters(Random(seed, Purpose::Init, 3).bits())};
}

template <class Real>
void GanStep<Real>::see_labels(ThreadPool& pool, const PerNetwork<Array<Real>>& parameters,
                               const GanBatch<Real>& batch, const Mode& mode) {
  rows_ = batch.features.rows();
  networks_.predictor.forward(pool, parameters.predictor.data(), nullptr, batch.features, mode,
                              contexts_.predictor);
  const Mode other{mode.training, mode.seed + 1, mode.step};
  networks_.disambiguator.forward(pool, parameters.disambiguator.data(), nullptr, batch.features,
                                  other, contexts_.disambiguator);
  const View<const Real> a = contexts_.disambiguator.output();
  for (std::size_t i = 0; i < rows_; ++i)
    for (std::size_t j = 0; j < a.cols; ++j)
      confidence_(i, j) = batch.candidates(i, j) * sigmoid(-a(i, j));
}

template <class Real>
GanLosses GanStep<Real>::generator_side(ThreadPool& pool, const PerNetwork<Array<Real>>& parameters,
                                        const GanBatch<Real>& batch, View<const Real> prior,
                                        const GanObjective& objective) {
  GanLosses losses;
  const bool reconstructs = objective.generation != 0, deceives = objective.adversarial != 0;
  if (reconstructs) losses.generation = reconstruct(pool, parameters, batch, objective);
  if (deceives) losses.adversarial = deceive(pool, parameters, batch, prior, objective);
  losses.classification = classify(batch, objective);
  losses.disambiguation = disambiguate(batch, objective);
  networks_.predictor.backward(pool, parameters.predictor.data(), contexts_.predictor,
                               {.gradients = gradients_.predictor.data()});
  networks_.disambiguator.backward(pool, parameters.disambiguator.data(), contexts_.disambiguator,
                                   {.gradients = gradients_.disambiguator.data()});
  return losses;
}

// L_c. In the calibrated objective a candidate is taken as noise with a fixed probability: partly
// the posterior r(1-F) / (F + r(1-F)) of the noise model, whose logit is log r - f, partly D~(x).
template <class Real>
double GanStep<Real>::classify(const GanBatch<Real>& batch, const GanObjective& objective) {
  const View<const Real> f = contexts_.predictor.output(), a = contexts_.disambiguator.output();
  const Real share = static_cast<Real>(objective.noise_share);
  if (objective.calibrated)
    for (std::size_t i = 0; i < rows_; ++i)
      for (std::size_t j = 0; j < f.cols; ++j) {
        belief_(i, j) = sigmoid(batch.log_noise_rates[j] - f(i, j));
        const Real noise = share * belief_(i, j) + (1 - share) * sigmoid(a(i, j));
        target_(i, j) = batch.candidates(i, j) * (1 - noise);
      }
  return cross_entropy<Real>(f, (objective.calibrated ? target_ : confidence_).view(rows_),
                             mean_weight<Real>(objective.classification, rows_),
                             contexts_.predictor.output_gradient());
}

// L_d, and everything that reaches D~ through z = y * sigmoid(-a): dz/da = -y sigmoid(a)
// sigmoid(-a).
template <class Real>
double GanStep<Real>::disambiguate(const GanBatch<Real>& batch, const GanObjective& objective) {
  const View<const Real> f = contexts_.predictor.output(), a = contexts_.disambiguator.output();
  const View<Real> gradient = contexts_.disambiguator.output_gradient();
  const Real weight = mean_weight<Real>(objective.disambiguation, rows_);
  const Real literal = mean_weight<Real>(objective.classification, rows_);
  double loss = 0;
  for (std::size_t i = 0; i < rows_; ++i)
    for (std::size_t j = 0; j < a.cols; ++j) {
      const Real y = batch.candidates(i, j), noise = sigmoid(a(i, j));
      Real through_z = objective.generation != 0 ? confidence_gradient_(i, j) : 0;
      if (!objective.calibrated) through_z -= literal * f(i, j);
      gradient(i, j) = -through_z * y * noise * sigmoid(-a(i, j));
      if (!objective.calibrated) continue;
      gradient(i, j) += weight * y * (noise - belief_(i, j));
      loss += static_cast<double>(weight * y * (softplus(a(i, j)) - belief_(i, j) * a(i, j)));
    }
  return loss;
}

// L_g: the generator should make x from z.
template <class Real>
double GanStep<Real>::reconstruct(ThreadPool& pool, const PerNetwork<Array<Real>>& parameters,
                                  const GanBatch<Real>& batch, const GanObjective& objective) {
  MlpContext<Real>& context = contexts_.reconstruction;
  networks_.generator.forward(pool, parameters.generator.data(), nullptr, {.dense = confidence()},
                              kTraining, context);
  const double loss = squared_error<Real>(context.output(), batch.scaled,
                                          mean_weight<Real>(objective.generation, rows_),
                                          context.output_gradient());
  networks_.generator.backward(
      pool, parameters.generator.data(), context,
      {.gradients = gradients_.generator.data(), .inputs = confidence_gradient_.view(rows_)});
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
