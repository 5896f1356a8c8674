#include "methods/network/game.h"

#include <algorithm>
#include <cmath>

#include "labelsieve/random.h"
#include "nn/functions.h"
#include "nn/losses.h"

namespace sieve {
namespace {

constexpr std::size_t kFirstGeneratorWidth = 128;

MlpSpec disambiguator_spec(std::size_t inputs, std::size_t labels, std::size_t width,
                           double dropout) {
  return {inputs,
          {{width, Activation::LeakyRelu, false, dropout},
           {width, Activation::LeakyRelu, false, dropout},
           {labels, Activation::Identity}}};
}

MlpSpec generator_spec(std::size_t labels, std::size_t outputs, std::size_t width) {
  return {labels,
          {{kFirstGeneratorWidth},
           {width, Activation::LeakyRelu, true},
           {width, Activation::LeakyRelu, true},
           {width, Activation::LeakyRelu, true},
           {outputs, Activation::Tanh}}};
}

MlpSpec discriminator_spec(std::size_t inputs, std::size_t width) {
  return {inputs, {{width}, {width}, {1, Activation::Identity}}};
}

AdamOptions discriminator_adam(AdamOptions adam) {
  adam.beta1 = 0.5;
  return adam;
}

std::uint64_t seed_of(std::uint64_t seed, std::uint64_t network) {
  return Random(seed, Purpose::Init, network, ~std::uint64_t{0}).bits();
}

// The probability that a candidate is noise before the features are looked at.
std::vector<float> prior_noise(const NoiseModel& model) {
  std::vector<float> shares;
  for (std::size_t k = 0; k < model.rate.size(); ++k) {
    const float wrong = model.rate[k] * (1 - model.prior[k]);
    shares.push_back(wrong / (model.prior[k] + wrong));
  }
  return shares;
}

}  // namespace

Game::Game(const NetRows& rows, std::size_t labels, const NoiseModel& noise,
           const GameSettings& settings, std::size_t width, double dropout, std::size_t max_batch,
           std::uint64_t seed, const AdamOptions& adam)
    : rows_(rows),
      model_(noise),
      settings_(settings),
      seed_(seed),
      scaled_mean_(rows.scaled_mean()),
      disambiguator_(disambiguator_spec(rows.inputs(), labels, width, dropout), seed_of(seed, 1),
                     adam),
      generator_(generator_spec(labels, rows.inputs(), width), seed_of(seed, 2), adam),
      discriminator_(discriminator_spec(rows.inputs(), width), seed_of(seed, 3),
                     discriminator_adam(adam)),
      noise_pass_(disambiguator_.mlp.context(max_batch)),
      real_pass_(generator_.mlp.context(max_batch)),
      fake_pass_(generator_.mlp.context(settings.prior_rows)),
      judge_pass_(discriminator_.mlp.context(std::max(max_batch, settings.prior_rows))),
      noise_(max_batch, labels),
      confidence_(max_batch, labels),
      z_gradient_(max_batch, labels),
      target_(max_batch, rows.inputs()),
      prior_(settings.prior_rows, labels) {
  variance_ = std::max(rows.total_variance(), 1e-6);
  disambiguator_.start_output_at(prior_noise(noise));
  const LayerPlace& last = generator_.mlp.layers().back();
  for (std::size_t j = 0; j < scaled_mean_.size(); ++j)
    generator_.parameters[last.shift + j] = std::atanh(std::clamp(scaled_mean_[j], -0.99F, 0.99F));
}

void Game::step(ThreadPool& pool, std::uint64_t iteration, std::span<const std::size_t> batch,
                const Input<float>& input, View<const float> y, View<const float> predicted) {
  iteration_ = iteration;
  batch_rows_ = batch.size();
  disambiguate(pool, input, y, predicted);
  if (settings_.generator || settings_.adversary) {
    std::ranges::fill(generator_.gradients, 0.0F);
    if (settings_.generator) generate(pool, batch, y);
    if (settings_.adversary) fool(pool);
    generator_.adam_step(pool);
  }
  // G's loss has added its part to the gradient of z by now.
  disambiguator_.mlp.backward(pool, disambiguator_.parameters.data(), noise_pass_,
                              {disambiguator_.gradients.data()});
  disambiguator_.adam_step(pool);
  if (settings_.adversary)
    for (std::size_t k = 0; k < settings_.discriminator_steps; ++k) {
      sample_prior(k + 1);
      discriminate(pool, input);
    }
}

// L_d = weight * mean_rows sum_k y BCE(a, Delta*), into D~ alone.   paper: z = ReLU(y - D~(x))
void Game::disambiguate(ThreadPool& pool, const Input<float>& input, View<const float> y,
                        View<const float> predicted) {
  disambiguator_.mlp.forward(pool, disambiguator_.parameters.data(), nullptr, input,
                             {true, seed_of(seed_, 4), iteration_}, noise_pass_);
  const View<const float> a = noise_pass_.output();
  const View<float> gradient = noise_pass_.output_gradient();
  const auto weight = static_cast<float>(settings_.posterior_weight / static_cast<double>(y.rows));
  double posterior_sum = 0, noise_sum = 0, candidates = 0;
  for (std::size_t i = 0; i < y.rows; ++i)
    for (std::size_t k = 0; k < y.cols; ++k) {
      const float estimate = sigmoid(a(i, k));
      const float wanted = noise_posterior(model_.rate[k], predicted(i, k));
      noise_(i, k) = estimate;
      confidence_(i, k) = y(i, k) * (1 - estimate);
      gradient(i, k) = weight * y(i, k) * (estimate - wanted);
      posterior_sum += y(i, k) * (softplus(a(i, k)) - wanted * a(i, k));
      noise_sum += y(i, k) * estimate;
      candidates += y(i, k);
    }
  losses_.posterior = posterior_sum / static_cast<double>(y.rows);
  losses_.mean_noise = candidates > 0 ? noise_sum / candidates : 0;
  losses_.mean_confidence = candidates > 0 ? 1 - losses_.mean_noise : 0;
}

// L_g = weight * mean_rows |G(z) - x|^2 / total variance, into G and through z into D~.
void Game::generate(ThreadPool& pool, std::span<const std::size_t> batch, View<const float> y) {
  const std::size_t m = batch.size();
  for (std::size_t i = 0; i < m; ++i) rows_.scaled_row(batch[i], {target_.row(i), rows_.inputs()});
  Input<float> z;
  z.dense = confidence_.view(m);
  generator_.mlp.forward(pool, generator_.parameters.data(), nullptr, z, {true}, real_pass_);
  const auto weight =
      static_cast<float>(settings_.generation_weight / (variance_ * static_cast<double>(m)));
  losses_.generation = squared_error<float>(real_pass_.output(), target_.view(m), weight,
                                            real_pass_.output_gradient());
  const View<float> into_z = z_gradient_.view(m);
  generator_.mlp.backward(pool, generator_.parameters.data(), real_pass_,
                          {generator_.gradients.data(), true, into_z});
  const View<float> gradient = noise_pass_.output_gradient();
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t k = 0; k < y.cols; ++k)  // dz/da = -y sigmoid(a) (1 - sigmoid(a))
      gradient(i, k) -= into_z(i, k) * y(i, k) * noise_(i, k) * (1 - noise_(i, k));
}

// Label vectors drawn as Bernoulli(z) for random rows of the batch.   paper: z^ ~ P(z^)
void Game::sample_prior(std::size_t draw) {
  for (std::size_t j = 0; j < prior_.rows(); ++j) {
    Random random(seed_, Purpose::Prior, iteration_, draw * prior_.rows() + j);
    const std::size_t i = random.below(batch_rows_);
    for (std::size_t k = 0; k < prior_.cols(); ++k)
      prior_(j, k) = random.uniform() < static_cast<double>(confidence_(i, k)) ? 1.0F : 0.0F;
  }
}

// G's imitations of the sampled label vectors, as D sees them.
Input<float> Game::fakes(ThreadPool& pool) {
  Input<float> labels;
  labels.dense = prior_.view(prior_.rows());
  generator_.mlp.forward(pool, generator_.parameters.data(), nullptr, labels, {true}, fake_pass_);
  Input<float> fake;
  fake.dense = fake_pass_.output();
  fake.centre = scaled_mean_.data();
  return fake;
}

// L_a = beta * mean softplus(-D(G(z^))), into G alone.
void Game::fool(ThreadPool& pool) {
  sample_prior(0);
  const Input<float> fake = fakes(pool);
  discriminator_.mlp.forward(pool, discriminator_.parameters.data(), nullptr, fake, {true},
                             judge_pass_);
  const auto weight = static_cast<float>(settings_.beta / static_cast<double>(prior_.rows()));
  losses_.adversarial =
      adversarial<float>(judge_pass_.output(), Wish::Real, weight, judge_pass_.output_gradient());
  discriminator_.mlp.backward(pool, discriminator_.parameters.data(), judge_pass_,
                              {nullptr, false, fake_pass_.output_gradient()});
  generator_.mlp.backward(pool, generator_.parameters.data(), fake_pass_,
                          {generator_.gradients.data(), true, {}});
}

void Game::discriminate(ThreadPool& pool, const Input<float>& input) {
  const Input<float> fake = fakes(pool);
  double right = 0, judged = 0;
  const auto judge = [&](const Input<float>& shown, Wish wish, bool add) {
    discriminator_.mlp.forward(pool, discriminator_.parameters.data(), nullptr, shown, {true},
                               judge_pass_);
    const View<const float> logits = judge_pass_.output();
    for (std::size_t i = 0; i < logits.rows; ++i)
      right += (logits(i, 0) > 0) == (wish == Wish::Real);
    judged += static_cast<double>(logits.rows);
    adversarial<float>(logits, wish, 1.0F / static_cast<float>(logits.rows),
                       judge_pass_.output_gradient());
    discriminator_.mlp.backward(pool, discriminator_.parameters.data(), judge_pass_,
                                {discriminator_.gradients.data(), add, {}});
  };
  judge(input, Wish::Real, false);
  judge(fake, Wish::Fake, true);
  discriminator_.adam_step(pool);
  losses_.discriminator_accuracy = right / judged;
}

bool Game::is_finite() const {
  return disambiguator_.is_finite() && generator_.is_finite() && discriminator_.is_finite();
}

void Game::visit(const std::string& name, StateVisitor& visitor) {
  disambiguator_.visit(name + "/disambiguator", visitor);
  generator_.visit(name + "/generator", visitor);
  discriminator_.visit(name + "/discriminator", visitor);
}

}  // namespace sieve
