// Plain networks on candidates: what PML-GAN has to be better than, with the same centring, weight
// averaging, stopping and number of members.
#include "methods/methods.h"
#include "methods/network/network_learner.h"
#include "methods/network/network_model.h"
#include "methods/network/network_options.h"

namespace sieve {

namespace {

SettingsTable<NetworkSettings> plain_table() {
  SettingsTable<NetworkSettings> table;
  add_network_options(table);
  add_parts(table);
  return table;
}

SettingsTable<NetworkSettings> noise_table() {
  SettingsTable<NetworkSettings> table = plain_table();
  add_noise_share(table);
  table.choice("label-rates", &NetworkSettings::label_rates, {"auto", "yes", "no"},
               "whether a rate of noise is learnt for each label where held-out candidates "
               "tell that labels differ; auto: unless a noise-share is given");
  return table;
}

std::unique_ptr<Model> load(ModelState state) {
  return std::make_unique<NetworkModel>(std::move(state));
}

std::unique_ptr<Learner> plain_learner(const char* method, const NetworkSettings& given,
                                       const Options& options) {
  EnsembleSettings settings = ensemble_settings(method, given, options);
  settings.noise_shares = {0};
  return std::make_unique<NetworkLearner>(std::move(settings));
}

std::unique_ptr<Learner> noise_learner(const NetworkSettings& given, const Options& options) {
  using LabelRates = NetworkSettings::LabelRates;
  EnsembleSettings settings = ensemble_settings("mlp-noise", given, options);
  settings.noise_shares = noise_shares(given.noise_share);
  settings.learns_rates = given.label_rates == LabelRates::Auto
                              ? !given.noise_share
                              : given.label_rates == LabelRates::Yes;
  return std::make_unique<NetworkLearner>(std::move(settings));
}

}  // namespace

std::unique_ptr<Learner> make_mlp(const NetworkSettings& settings) {
  return plain_learner("mlp", settings, plain_table().options(settings));
}

std::unique_ptr<Learner> make_mlp_noise(const NetworkSettings& settings) {
  return noise_learner(settings, noise_table().options(settings));
}

std::unique_ptr<Learner> mlp_with_noise(const NetworkSettings& given, NoiseModel noise) {
  EnsembleSettings settings = ensemble_settings("mlp-noise", given, noise_table().options(given));
  settings.network.noise = std::move(noise);
  return std::make_unique<NetworkLearner>(std::move(settings));
}

std::unique_ptr<Learner> mlp_without_noise(const NetworkSettings& settings) {
  return plain_learner("mlp-noise", settings, noise_table().options(settings));
}

MethodInfo mlp_method() {
  return {
      "mlp",
      "MLP on candidates",
      "a network that takes every candidate as right",
      false,
      plain_table().specs(),
      [](const Options& given) { return plain_learner("mlp", plain_table().read(given), given); },
      load,
      2,
      true};
}

MethodInfo mlp_noise_method() {
  return {"mlp-noise",
          "Noise-adapted MLP",
          "a network that knows candidates are noisy, at rates learnt from held-out candidates",
          false,
          noise_table().specs(),
          [](const Options& given) { return noise_learner(noise_table().read(given), given); },
          load,
          4,
          true};
}

MethodInfo oracle_method() {
  return {"oracle",
          "MLP on the truth (oracle)",
          "upper bound: trains on the true labels",
          true,
          plain_table().specs(),
          [](const Options& given) {
            return plain_learner("oracle", plain_table().read(given), given);
          },
          load,
          3,
          true};
}

}  // namespace sieve
