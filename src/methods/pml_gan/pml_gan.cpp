#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "methods/methods.h"
#include "methods/network/network_learner.h"
#include "methods/network/network_model.h"
#include "methods/network/network_options.h"
#include "methods/pml_gan/gan_trainee.h"

namespace sieve {
namespace {

// A row below this many labels left by the disambiguator has nothing to learn from any more.
constexpr double kCollapsed = 0.5;

// Half of what F learns comes from D~, where D~ has a say.
constexpr double kTaughtShare = 0.5;

using Objective = PmlGanSettings::Objective;
using Ablation = PmlGanSettings::Ablation;
using OnCollapse = PmlGanSettings::OnCollapse;

// Options that mean something else for each objective are "auto" unless set.
SettingsTable<PmlGanSettings> table() {
  using S = PmlGanSettings;
  SettingsTable<S> table;
  add_network_options(table);
  table.choice("objective", &S::objective, {"calibrated", "paper"},
               "calibrated, or the paper's to the letter");
  table.choice("ablation", &S::ablation, {"none", "cls-gen", "cls-gan", "cls-ml"},
               "parts to leave out, as in the paper's ablation");
  table.number("beta", &S::beta, "weight of the adversarial loss", 0, 1000);
  table.number("prior-rows", &S::prior_rows, "label vectors sampled in a step (n)", 2, 65536);
  table.number("discriminator-steps", &S::discriminator_steps,
               "steps of the discriminator in an iteration (k)", 1, 100);
  table.number("generation-weight", &S::generation_weight, "weight of the generation loss", 0,
               1000);
  add_parts(table);
  add_noise_share(table);
  table.number("share", &S::share,
               "calibrated: part of the predictor's target that the disambiguator gives; auto: 0 "
               "or 0.5 by held-out candidates",
               0, 1);
  table.choice("budget", &S::budget, {"fast", "normal", "thorough"},
               "calibrated, share auto: the game is not tried, is tried where it takes up to about "
               "ten minutes of a core, or always");
  table.number("posterior-weight", &S::posterior_weight,
               "calibrated: weight of the disambiguator's own loss", 0, 1000);
  table.choice("on-collapse", &S::on_collapse, {"stop", "continue"},
               "paper: what to do when nearly every candidate is called noise");
  return table;
}

// The settings of the networks, with what the objective chooses.
NetworkSettings network_settings(const PmlGanSettings& given) {
  const bool paper = given.objective == Objective::Paper;
  return {.members = given.members.value_or(paper ? 1 : 3),
          .depth = given.depth,
          .width = given.width,
          .dropout = given.dropout.value_or(paper ? 0 : 0.5),
          .batch = given.batch,
          .epochs = given.epochs.value_or(paper ? 200 : 30),
          .patience = given.patience,
          .learning_rate = given.learning_rate.value_or(paper ? 2e-4 : 1e-3),
          .parts = given.parts};
}

GanSettings gan_settings(const PmlGanSettings& given) {
  const bool paper = given.objective == Objective::Paper;
  const bool generates = given.ablation == Ablation::None || given.ablation == Ablation::ClsGen;
  const bool competes = given.ablation == Ablation::None || given.ablation == Ablation::ClsGan;
  GanSettings gan;
  gan.objective.calibrated = !paper;
  gan.objective.disambiguation = given.posterior_weight;
  gan.objective.generation = generates ? given.generation_weight.value_or(paper ? 1 : 0.5) : 0;
  gan.objective.adversarial = competes ? 1 : 0;  // times beta
  gan.objective.saturating = paper;
  gan.prior_rows = given.prior_rows.value_or(paper ? 1024 : 64);
  gan.discriminator_steps = given.discriminator_steps;
  gan.hidden = given.width;
  gan.dropout = given.dropout.value_or(paper ? 0 : 0.5);
  gan.collapse_below = paper && given.on_collapse == OnCollapse::Stop ? kCollapsed : 0;
  return gan;
}

// Operations of a game that budget=normal allows. A count, not a time: all machines give one model.
constexpr double kNormalBudget = 3e13;

// Operations of all members until they must stop, if no epoch is spared: two for each weight that a
// row meets, on the way forth and for both gradients.
double operations(const TrainingData& data, const EnsembleSettings& settings,
                  const GanSettings& gan) {
  const double hidden = static_cast<double>(gan.hidden),
               labels = static_cast<double>(data.labels()),
               features = static_cast<double>(data.features.cols());
  const double entries = data.features.is_sparse() ? static_cast<double>(data.features.nonzeros()) /
                                                         static_cast<double>(data.rows())
                                                   : features;
  const double made = static_cast<double>(gan.prior_rows) /
                      static_cast<double>(std::min(settings.network.batch, data.rows()));
  const double labeller = hidden * (entries + hidden + labels);
  const double generator = hidden * (features + 2 * hidden);
  const double discriminator = hidden * (features + hidden);
  // G makes the rows themselves and, once for each of the two sides, rows from the prior.
  const double weights =
      2 * labeller + (1 + 2 * made) * generator + 2 * made * discriminator + labeller;
  const double passes =
      static_cast<double>(data.rows() * settings.network.max_epochs * settings.members);
  return 6 * passes * weights;
}

std::string reason_against_game(Budget budget, double wanted) {
  if (budget == Budget::Fast) return "as budget=fast wants it";
  if (budget == Budget::Thorough || wanted <= kNormalBudget) return "";
  return fmt::format("which would take {:.0f} times what budget=normal allows",
                     std::ceil(wanted / kNormalBudget));
}

std::unique_ptr<Learner> learner(const PmlGanSettings& given, const Options& options) {
  EnsembleSettings settings = ensemble_settings("pml-gan", network_settings(given), options);
  settings.noise_shares = noise_shares(given.noise_share);
  settings.plain_choices = true;
  settings.betas = {given.beta.value_or(0.1)};
  settings.shares = given.share ? std::vector{*given.share} : std::vector{0.0, kTaughtShare};
  if (given.objective == Objective::Paper) {
    // No rows held out, no averaging; beta by the smallest training L_c, as the paper says.
    settings.network.held_out_stopping = false;
    settings.plain_choices = false;
    settings.shares = {kTaughtShare};  // not used by this objective
    settings.noise_shares = {0.85};    // not used by this objective
    settings.network.adam_beta1 = 0.5;
    settings.centred = false;
    settings.depths = {2};
    if (!given.beta) settings.betas = {0.001, 0.01, 0.1, 1, 10};
  }
  const GanSettings gan = gan_settings(given);
  settings.network.make_trainee = [gan](const TraineeParts& parts) {
    return make_gan_trainee(parts, gan);
  };
  settings.reason_against_game = [gan, like = settings,
                                  budget = given.budget](const TrainingData& data) {
    return reason_against_game(budget, operations(data, like, gan));
  };
  return std::make_unique<NetworkLearner>(std::move(settings));
}

std::unique_ptr<Model> load(ModelState state) {
  return std::make_unique<NetworkModel>(std::move(state));
}

}  // namespace

std::unique_ptr<Learner> make_pml_gan(const PmlGanSettings& settings) {
  return learner(settings, table().options(settings));
}

MethodInfo pml_gan_method() {
  return {"pml-gan",
          "PML-GAN",
          "a predictor, a disambiguator, a generator and a discriminator, trained as a game",
          false,
          table().specs(),
          [](const Options& given) { return learner(table().read(given), given); },
          load,
          20,
          true};
}

}  // namespace sieve
