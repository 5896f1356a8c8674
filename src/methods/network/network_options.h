#pragma once

#include <optional>
#include <vector>

#include "labelsieve/methods.h"
#include "methods/network/network_learner.h"
#include "methods/shared/settings_table.h"

// Options that network methods share. Their settings have fields of these names.
namespace sieve {

template <class Settings>
void add_width(SettingsTable<Settings>& table) {
  table.number("width", &Settings::width, "units in a hidden layer", 1, 8192);
}

template <class Settings>
void add_epochs(SettingsTable<Settings>& table) {
  table.number("epochs", &Settings::epochs, "maximum passes over the data", 1, 100000);
}

// Those that all of them have.
template <class Settings>
void add_network_options(SettingsTable<Settings>& table) {
  table.number("members", &Settings::members, "networks in the ensemble", 1, 100);
  table.number("depth", &Settings::depth,
               "hidden layers of the predictor; auto: 0, 1 or 2 by held-out candidates", 0, 8);
  add_width(table);
  table.number("dropout", &Settings::dropout, "share of hidden units switched off in training", 0,
               0.95);
  table.number("batch", &Settings::batch, "rows in a training step", 1, 65536);
  add_epochs(table);
  table.number("patience", &Settings::patience,
               "epochs without progress on held-out candidates before stopping", 1, 100000);
  table.number("learning-rate", &Settings::learning_rate, "step size of Adam", 1e-7, 1);
}

// Of the methods whose loss is a mean over rows: those can train on several ranks.
template <class Settings>
void add_parts(SettingsTable<Settings>& table) {
  table.number("parts", &Settings::parts,
               "pieces of a batch (1, 2, 4, ...) that ranks can share; auto: 1 alone, else 4 or "
               "more",
               1, 1024);
}

// Of the methods that assume noise.
template <class Settings>
void add_noise_share(SettingsTable<Settings>& table) {
  table.number("noise-share", &Settings::noise_share,
               "rate of noise as a multiple of the mean candidate frequency; auto: by held-out "
               "candidates",
               0.01, 1);
}
// The shares to choose from.
std::vector<double> noise_shares(const std::optional<double>& given);

// The ensemble that the settings ask for; `options` as they were given.
EnsembleSettings ensemble_settings(const std::string& method, const NetworkSettings& settings,
                                   const Options& options);

// `mlp-noise` where the noise is known.
std::unique_ptr<Learner> mlp_with_noise(const NetworkSettings& settings, NoiseModel noise);

// `mlp-noise` where there is no noise: every candidate is right.
std::unique_ptr<Learner> mlp_without_noise(const NetworkSettings& settings);

}  // namespace sieve
