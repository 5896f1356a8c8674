#include "methods/network/network_options.h"

#include "base/option_specs.h"

namespace sieve {

std::vector<OptionSpec> network_options() {
  return {
      integer_option("members", "3", "networks in the ensemble", 1, 100),
      integer_option("depth", "auto",
                     "hidden layers of the predictor; auto: 0, 1 or 2 by held-out candidates", 0,
                     8),
      integer_option("width", "256", "units in a hidden layer", 1, 8192),
      real_option("dropout", "0.5", "share of hidden units switched off in training", 0, 0.95),
      integer_option("batch", "64", "rows in a training step", 1, 65536),
      integer_option("epochs", "30", "maximum passes over the data", 1, 100000),
      integer_option("patience", "4",
                     "epochs without progress on held-out candidates before stopping", 1, 100000),
      real_option("learning-rate", "0.001", "step size of Adam", 1e-7, 1),
  };
}

OptionSpec noise_share_option() {
  return real_option(
      "noise-share", "auto",
      "rate of noise as a multiple of the mean candidate frequency; auto: by held-out candidates",
      0.01, 1);
}

OptionSpec label_rates_option() {
  return choice_option("label-rates", {"auto", "yes", "no"},
                       "whether a rate of noise is learnt for each label where held-out candidates "
                       "tell that labels differ; auto: unless a noise-share is given");
}

std::vector<double> noise_shares(const Options& options) {
  if (options.is_auto("noise-share")) return {0.75, 0.85, 0.95};
  return {options.real("noise-share")};
}

OptionSpec parts_option() {
  return integer_option(
      "parts", "auto",
      "pieces of a batch (1, 2, 4, ...) that ranks can share; auto: 1 alone, else 4 or more", 1,
      1024);
}

EnsembleSettings ensemble_settings(const std::string& method, const Options& options) {
  EnsembleSettings settings;
  settings.method = method;
  settings.options = options.values();
  settings.members = options.count("members");
  if (!options.is_auto("depth")) settings.depths = {options.count("depth")};
  if (options.values().contains("parts"))
    settings.parts = options.is_auto("parts") ? 0 : options.count("parts");
  settings.network.width = options.count("width");
  settings.network.dropout = options.real("dropout");
  settings.network.batch = options.count("batch");
  settings.network.max_epochs = options.count("epochs");
  settings.network.patience = options.count("patience");
  settings.network.learning_rate = options.real("learning-rate");
  return settings;
}

std::unique_ptr<Learner> mlp_without_noise(const Options& options) {
  EnsembleSettings settings = ensemble_settings("mlp-noise", options);
  settings.noise_shares = {0};
  return std::make_unique<NetworkLearner>(std::move(settings));
}

}  // namespace sieve
