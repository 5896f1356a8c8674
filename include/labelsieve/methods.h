#pragma once

#include <cstddef>
#include <memory>
#include <optional>

#include "labelsieve/learner.h"

// The main methods with typed settings: make_forest({.trees = 200}). `sieve methods NAME` says what
// a setting does and which values it takes; an empty optional is "auto". All throw Error(Usage) for
// a value out of range.
namespace sieve {

// Which probability turns a label on: the lowest one whose expected Hamming loss is within 2 % of
// the least, or a lower one that keeps four fifths of the best expected F1; 1/2; that of the
// best expected micro F1; or that of as many labels as are right.
enum class DecisionGoal { Balanced, Hamming, F1, Cardinality };

enum class Budget { Fast, Normal, Thorough };

// Of mlp and mlp-noise.
struct NetworkSettings {
  std::size_t members = 3;
  std::optional<std::size_t> depth{};  // hidden layers
  std::size_t width = 256;
  double dropout = 0.5;
  std::size_t batch = 64;
  std::size_t epochs = 30;  // at most
  std::size_t patience = 4;
  double learning_rate = 1e-3;
  std::optional<std::size_t> parts{};  // of a batch, that ranks can share
  // Of mlp-noise alone:
  std::optional<double> noise_share{};
  enum class LabelRates { Auto, Yes, No } label_rates = LabelRates::Auto;
};
std::unique_ptr<Learner> make_mlp(const NetworkSettings& settings = {});
std::unique_ptr<Learner> make_mlp_noise(const NetworkSettings& settings = {});

struct PmlGanSettings {
  enum class Objective { Calibrated, Paper } objective = Objective::Calibrated;
  enum class Ablation { None, ClsGen, ClsGan, ClsMl } ablation = Ablation::None;
  // Where nothing is set here, the objective chooses.
  std::optional<std::size_t> members{}, depth{};
  std::size_t width = 256;
  std::optional<double> dropout{};
  std::size_t batch = 64;
  std::optional<std::size_t> epochs{};
  std::size_t patience = 4;
  std::optional<double> learning_rate{};
  std::optional<double> beta{};               // weight of the adversarial loss
  std::optional<std::size_t> prior_rows{};    // n of the paper
  std::size_t discriminator_steps = 1;        // k of the paper
  std::optional<double> generation_weight{};  // of L_g
  std::optional<std::size_t> parts{};
  // Of the calibrated objective alone:
  std::optional<double> noise_share{};
  std::optional<double> share{};  // of the disambiguator in the predictor's target
  Budget budget = Budget::Normal;
  double posterior_weight = 3;  // of L_d
  // Of the paper's objective alone:
  enum class OnCollapse { Stop, Continue } on_collapse = OnCollapse::Stop;
};
std::unique_ptr<Learner> make_pml_gan(const PmlGanSettings& settings = {});

struct ForestSettings {
  std::size_t trees = 500;
  std::size_t leaf = 0;      // fewest rows; 0: by out-of-bag candidates
  std::size_t features = 0;  // tried at a split; 0: by their number
  enum class Splits { Extra, Best } splits = Splits::Extra;
  bool bootstrap = true;
  DecisionGoal decision = DecisionGoal::Balanced;
};
std::unique_ptr<Learner> make_forest(const ForestSettings& settings = {});

struct BlendSettings {
  Budget budget = Budget::Fast;
  std::optional<std::size_t> trees{};    // of each forest
  std::size_t width = 256, epochs = 30;  // of networks
  DecisionGoal decision = DecisionGoal::Balanced;
};
std::unique_ptr<Learner> make_blend(const BlendSettings& settings = {});

}  // namespace sieve
