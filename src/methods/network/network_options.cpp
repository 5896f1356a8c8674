#include "methods/network/network_options.h"

namespace sieve {

std::vector<double> noise_shares(const std::optional<double>& given) {
  if (given) return {*given};
  return {0.75, 0.85, 0.95};
}

EnsembleSettings ensemble_settings(const std::string& method, const NetworkSettings& given,
                                   const Options& options) {
  EnsembleSettings settings;
  settings.method = method;
  settings.options = options.values();
  settings.members = given.members;
  if (given.depth) settings.depths = {*given.depth};
  if (settings.options.contains("parts")) settings.parts = given.parts.value_or(0);
  settings.network.width = given.width;
  settings.network.dropout = given.dropout;
  settings.network.batch = given.batch;
  settings.network.max_epochs = given.epochs;
  settings.network.patience = given.patience;
  settings.network.learning_rate = given.learning_rate;
  return settings;
}

}  // namespace sieve
