// Plain networks on candidates: what PML-GAN has to be better than, with the same centring, weight
// averaging, stopping and number of members.
#include "methods/methods.h"
#include "methods/network/network_learner.h"
#include "methods/network/network_model.h"
#include "methods/network/network_options.h"

namespace sieve {
namespace {

std::unique_ptr<Model> load(ModelState state) {
  return std::make_unique<NetworkModel>(std::move(state));
}

std::vector<OptionSpec> shared_options() {
  std::vector<OptionSpec> options = network_options();
  options.push_back(parts_option());
  return options;
}

std::unique_ptr<Learner> make_plain(const std::string& name, const Options& options) {
  EnsembleSettings settings = ensemble_settings(name, options);
  settings.noise_shares = {0};
  return std::make_unique<NetworkLearner>(std::move(settings));
}

std::unique_ptr<Learner> make_mlp(const Options& options) {
  return make_plain("mlp", options);
}

std::unique_ptr<Learner> make_oracle(const Options& options) {
  return make_plain("oracle", options);
}

std::unique_ptr<Learner> make_mlp_noise(const Options& options) {
  EnsembleSettings settings = ensemble_settings("mlp-noise", options);
  settings.noise_shares = noise_shares(options);
  settings.learns_rates = options.is_auto("label-rates") ? options.is_auto("noise-share")
                                                         : options.text("label-rates") == "yes";
  return std::make_unique<NetworkLearner>(std::move(settings));
}

}  // namespace

MethodInfo mlp_method() {
  return {"mlp",
          "MLP on candidates",
          "a network that takes every candidate as right",
          false,
          shared_options(),
          make_mlp,
          load,
          2};
}

MethodInfo mlp_noise_method() {
  std::vector<OptionSpec> options = shared_options();
  options.push_back(noise_share_option());
  options.push_back(label_rates_option());
  return {"mlp-noise",
          "Noise-adapted MLP",
          "a network that knows candidates are noisy, at rates learnt from held-out candidates",
          false,
          std::move(options),
          make_mlp_noise,
          load,
          4};
}

MethodInfo oracle_method() {
  return {"oracle",
          "MLP on the truth (oracle)",
          "upper bound: trains on the true labels",
          true,
          shared_options(),
          make_oracle,
          load,
          3};
}

}  // namespace sieve
