#include "methods/pml_gan/wide_gan.h"

#include "linalg/products.h"
#include "nn/losses.h"

namespace sieve {
namespace {

constexpr Mode kTraining{.training = true};

MlpSpec trunk_of(MlpSpec generator) {
  generator.layers.pop_back();
  return generator;
}

template <class Real>
std::span<Real> all(Array<Real>& values) {
  return {values.data(), values.size()};
}

// As GanStep has them, but for the generator's last weights, which are turned.
template <class Real>
PerNetwork<Array<Real>> initial(const PerNetwork<MlpSpec>& specs, std::uint64_t seed) {
  PerNetwork<Array<Real>> values = initial_parameters<Real>(specs, seed);
  const LayerPlace last = Mlp<Real>(specs.generator).layers().back();
  const Array<Real> before = values.generator.clone();
  transpose_strip(before.data() + last.weights, last.stride, last.stride, 0, last.input_stride,
                  values.generator.data() + last.weights, last.input_stride);
  return values;
}

}  // namespace

template <class Real>
WideGan<Real>::WideGan(const PerNetwork<MlpSpec>& specs, std::size_t rows, std::size_t prior_rows,
                       std::uint64_t seed, std::size_t kept_bytes)
    : GanPlayers<Real>(initial<Real>(specs, seed)),
      predictor_(specs.predictor),
      disambiguator_(specs.disambiguator),
      discriminator_(specs.discriminator),
      trunk_(trunk_of(specs.generator)),
      generated_(Mlp<Real>(specs.generator).layers().back()),
      pair_({generated_.outputs, generated_.inputs, discriminator_.first().outputs}, prior_rows,
            rows, kept_bytes),
      predicted_(predictor_.pass(rows)),
      disambiguated_(disambiguator_.pass(rows)),
      real_(discriminator_.pass(rows)),
      fake_(discriminator_.pass(prior_rows)),
      reconstruction_(trunk_.context(rows)),
      generation_(trunk_.context(prior_rows)),
      trunk_gradients_(trunk_.parameter_count()),
      base_(generated_.outputs),
      labels_(rows, specs.predictor.layers.back().width) {}

template <class Real>
PairWeights<Real> WideGan<Real>::weights() const {
  return {parameters_.generator.data() + generated_.weights,
          parameters_.generator.data() + generated_.shift,
          parameters_.discriminator.data() + discriminator_.first().weights};
}

template <class Real>
void WideGan<Real>::see_labels(ThreadPool& pool, const GanBatch<Real>& batch, const Mode& mode) {
  this->mark_touched(pool, batch.features);
  predictor_.forward(pool, parameters_.predictor.data(), batch.features, mode, predicted_);
  const Mode other{mode.training, mode.seed + 1, mode.step};
  disambiguator_.forward(pool, parameters_.disambiguator.data(), batch.features, other,
                         disambiguated_);
  labels_.see(batch.candidates, disambiguator_.output(disambiguated_));
}

template <class Real>
GanLosses WideGan<Real>::generator_turn(ThreadPool& pool, const AdamOptions& adam,
                                        const GanBatch<Real>& batch, View<const Real> prior,
                                        const GanObjective& objective) {
  GanLosses losses;
  if (objective.adversarial != 0) losses.adversarial = deceive(pool, batch, prior, objective);
  if (objective.adversarial != 0 || objective.generation != 0)
    losses.generation = move_generator(pool, adam, batch, objective);
  const LabelLogits<Real> logits{
      predictor_.output(predicted_), disambiguator_.output(disambiguated_),
      predictor_.output_gradient(predicted_), disambiguator_.output_gradient(disambiguated_)};
  const BatchParts::Rows rows{0, logits.f.rows};
  losses.classification = labels_.classify(batch, objective, logits, rows);
  losses.disambiguation = labels_.disambiguate(batch, objective, logits, rows);
  move_labeller(pool, adam, predictor_, predicted_, this->predictor_rows_,
                this->predictor_buffers());
  move_labeller(pool, adam, disambiguator_, disambiguated_, this->disambiguator_rows_,
                this->disambiguator_buffers());
  return losses;
}

template <class Real>
void WideGan<Real>::move_labeller(ThreadPool& pool, const AdamOptions& adam, WideMlp<Real>& network,
                                  WidePass<Real>& pass, Rows& rows, const Buffers& buffers) {
  network.backward(pool, buffers.values.data(), WideMlp<Real>::Above::Set, pass);
  const AdamStep<Real> step(adam, buffers.adam, buffers.values);
  const std::size_t from = rows ? network.mlp().rest_at() : 0;
  if (rows) {
    rows->move(pool, step, pass.input, std::as_const(pass.delta).view(pass.rows), pass.sum.data(),
               buffers);
    network.update_rest(step, {&pass});
  } else {
    network.update(pool, step, pass);
  }
  if (!buffers.average.empty())
    move_average<Real>(pool, static_cast<Real>(this->pace_.at(buffers.adam.step)),
                       buffers.values.subspan(from), buffers.average.subspan(from));
}

template <class Real>
void WideGan<Real>::generate_and_judge(ThreadPool& pool, const GanBatch<Real>& batch,
                                       View<const Real> prior) {
  trunk_.forward(pool, parameters_.generator.data(), {.dense = prior}, kTraining, generation_);
  pair_.forward(pool, weights(), generation_.output(), batch.centre, fake_.first.view(prior.rows));
  discriminator_.forward_from_sums(pool, parameters_.discriminator.data(), batch.centre, prior.rows,
                                   kTraining, fake_);
}

// The adversarial loss, as far back as the sums of D's first layer; D stays as it is.
template <class Real>
double WideGan<Real>::deceive(ThreadPool& pool, const GanBatch<Real>& batch, View<const Real> prior,
                              const GanObjective& objective) {
  generate_and_judge(pool, batch, prior);
  const double loss = adversarial<Real>(
      discriminator_.output(fake_), objective.saturating ? Wish::NotYetFound : Wish::Real,
      mean_weight<Real>(objective.adversarial, prior.rows), discriminator_.output_gradient(fake_));
  discriminator_.backward(pool, parameters_.discriminator.data(), WideMlp<Real>::Above::Frozen,
                          fake_);
  return loss;
}

// L_g, which it returns, and what came through D, both into G at once.
template <class Real>
double WideGan<Real>::move_generator(ThreadPool& pool, const AdamOptions& adam,
                                     const GanBatch<Real>& batch, const GanObjective& objective) {
  typename WidePair<Real>::Judged judged;
  typename WidePair<Real>::Wished wished;
  if (objective.adversarial != 0)
    judged = {std::as_const(fake_.delta).view(fake_.rows), generation_.output_gradient()};
  if (objective.generation != 0) {
    trunk_.forward(pool, parameters_.generator.data(), {.dense = confidence()}, kTraining,
                   reconstruction_);
    const auto at = [](const Real* centre, std::size_t j) { return centre ? centre[j] : Real(0); };
    for (std::size_t j = 0; j < base_.size(); ++j)
      base_[j] = at(batch.centre, j) - at(batch.features.centre, j);
    wished = {reconstruction_.output(), &batch.features, base_.data(),
              mean_weight<Real>(objective.generation, reconstruction_.rows),
              reconstruction_.output_gradient()};
  }
  const AdamStep<Real> step(adam, optimisers_.generator, all(parameters_.generator));
  const double loss =
      pair_.backward(pool, weights(), step, {generated_.weights, generated_.shift}, judged, wished);
  Real* gradients = trunk_gradients_.data();
  if (objective.generation != 0)
    trunk_.backward(pool, parameters_.generator.data(), reconstruction_,
                    {.gradients = gradients, .inputs = labels_.confidence_gradient()});
  if (objective.adversarial != 0)
    trunk_.backward(pool, parameters_.generator.data(), generation_,
                    {.gradients = gradients, .add = objective.generation != 0});
  step.move(0, all(trunk_gradients_));
  return loss;
}

template <class Real>
double WideGan<Real>::discriminator_turn(ThreadPool& pool, const AdamOptions& adam,
                                         const GanBatch<Real>& batch, View<const Real> prior) {
  Array<Real>& values = parameters_.discriminator;
  generate_and_judge(pool, batch, prior);
  discriminator_.forward(pool, values.data(), batch.features, kTraining, real_);
  const double loss =
      adversarial<Real>(discriminator_.output(real_), Wish::Real, mean_weight<Real>(1, real_.rows),
                        discriminator_.output_gradient(real_)) +
      adversarial<Real>(discriminator_.output(fake_), Wish::Fake, mean_weight<Real>(1, prior.rows),
                        discriminator_.output_gradient(fake_));
  discriminator_.backward(pool, values.data(), WideMlp<Real>::Above::Set, fake_);
  discriminator_.backward(pool, values.data(), WideMlp<Real>::Above::Add, real_);
  const AdamStep<Real> step(adam, optimisers_.discriminator, all(values));
  discriminator_.update(
      pool, step, {&fake_, &real_}, [&](std::size_t group, const Tile& tile, Real* gradient) {
        pair_.discriminator_gradient(weights(), group, tile,
                                     std::as_const(fake_.delta).view(fake_.rows), gradient);
      });
  return loss;
}

template class WideGan<float>;
template class WideGan<double>;

}  // namespace sieve
