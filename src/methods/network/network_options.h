#pragma once

#include <vector>

#include "labelsieve/options.h"
#include "methods/network/network_learner.h"

namespace sieve {

// The options all network methods have in common.
std::vector<OptionSpec> network_options();

// "noise-share", of the methods that assume noise, and the rates to choose from.
OptionSpec noise_share_option();
OptionSpec label_rates_option();
std::vector<double> noise_shares(const Options& options);

// "parts", of the methods whose loss is a mean over rows: those can train on several ranks.
OptionSpec parts_option();

// The settings those options ask for.
EnsembleSettings ensemble_settings(const std::string& method, const Options& options);

// `mlp-noise` where there is no noise: every candidate is right.
std::unique_ptr<Learner> mlp_without_noise(const Options& options);

}  // namespace sieve
