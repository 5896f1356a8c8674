#include "methods/network/network_options.h"

namespace sieve {

std::vector<OptionSpec> network_options() {
  using Type = OptionSpec::Type;
  return {
      {"members", Type::Integer, "3", "networks in the ensemble", 1, 100, {}, false},
      {"depth",
       Type::Integer,
       "auto",
       "hidden layers of the predictor; auto: 0, 1 or 2 by held-out candidates",
       0,
       8,
       {},
       true},
      {"width", Type::Integer, "256", "units in a hidden layer", 1, 8192, {}, false},
      {"dropout",
       Type::Real,
       "0.5",
       "share of hidden units switched off in training",
       0,
       0.95,
       {},
       false},
      {"batch", Type::Integer, "64", "rows in a training step", 1, 65536, {}, false},
      {"epochs", Type::Integer, "30", "passes over the data, at most", 1, 100000, {}, false},
      {"patience",
       Type::Integer,
       "4",
       "epochs without progress on held-out candidates before stopping",
       1,
       100000,
       {},
       false},
      {"learning-rate", Type::Real, "0.001", "step size of Adam", 1e-7, 1, {}, false},
  };
}

OptionSpec noise_share_option() {
  return {
      "noise-share",
      OptionSpec::Type::Real,
      "auto",
      "rate of noise as a multiple of the mean candidate frequency; auto: by held-out candidates",
      0.01,
      1,
      {},
      true};
}

std::vector<double> noise_shares(const Options& options) {
  if (options.is_auto("noise-share")) return {0.75, 0.85, 0.95};
  return {options.real("noise-share")};
}

OptionSpec parts_option() {
  return {"parts",
          OptionSpec::Type::Integer,
          "auto",
          "pieces of a batch (1, 2, 4, ...) that ranks can share; auto: 1 alone, else 4 or more",
          1,
          1024,
          {},
          true};
}

EnsembleSettings ensemble_settings(const std::string& method, const Options& options) {
  EnsembleSettings settings;
  settings.method = method;
  settings.options = options.values();
  settings.members = static_cast<std::size_t>(options.integer("members"));
  if (!options.is_auto("depth"))
    settings.depths = {static_cast<std::size_t>(options.integer("depth"))};
  if (options.values().contains("parts"))
    settings.parts =
        options.is_auto("parts") ? 0 : static_cast<std::size_t>(options.integer("parts"));
  settings.network.width = static_cast<std::size_t>(options.integer("width"));
  settings.network.dropout = options.real("dropout");
  settings.network.batch = static_cast<std::size_t>(options.integer("batch"));
  settings.network.max_epochs = static_cast<std::size_t>(options.integer("epochs"));
  settings.network.patience = static_cast<std::size_t>(options.integer("patience"));
  settings.network.learning_rate = options.real("learning-rate");
  return settings;
}

}  // namespace sieve
