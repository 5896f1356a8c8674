#pragma once

#include <vector>

#include "labelsieve/options.h"
#include "methods/network/network_learner.h"

namespace sieve {

// The options all network methods have in common.
std::vector<OptionSpec> network_options();

// The settings those options ask for.
EnsembleSettings ensemble_settings(const std::string& method, const Options& options);

}  // namespace sieve
