#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "base/option_specs.h"
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

// Options that mean something else for each objective are "auto" unless set.
std::vector<OptionSpec> options_table() {
  std::vector<OptionSpec> table = network_options();
  for (OptionSpec& option : table)
    for (const char* key : {"members", "dropout", "epochs", "learning-rate"})
      if (option.key == key) option.default_value = "auto", option.can_be_auto = true;
  const auto add = [&](OptionSpec option) { table.push_back(std::move(option)); };
  add(choice_option("objective", {"calibrated", "paper"},
                    "calibrated, or the paper's to the letter"));
  add(choice_option("ablation", {"none", "cls-gen", "cls-gan", "cls-ml"},
                    "parts to leave out, as in the paper's ablation"));
  add(real_option("beta", "auto", "weight of the adversarial loss", 0, 1000));
  add(choice_option("prior", {"auto", "uniform", "bernoulli", "resampled"},
                    "where sampled label vectors come from"));
  add(integer_option("prior-rows", "auto", "label vectors sampled in a step (n)", 2, 65536));
  add(integer_option("discriminator-steps", "1", "steps of the discriminator in an iteration (k)",
                     1, 100));
  add(choice_option("generator-loss", {"auto", "saturating", "non-saturating"},
                    "log(1-D) or -log D"));
  add(choice_option("generation-reduction", {"auto", "sum", "mean", "variance"},
                    "L_g as a sum over features, their mean, or relative to their variance"));
  add(choice_option("classification-reduction", {"sum", "mean"},
                    "L_c as a sum or a mean over labels"));
  add(real_option("generation-weight", "auto", "weight of the generation loss", 0, 1000));
  add(parts_option());
  add(noise_share_option());
  add(real_option(
      "share", "auto",
      "calibrated: part of the predictor's target that the disambiguator gives; auto: 0 or 0.5 by "
      "held-out candidates",
      0, 1));
  add(choice_option("budget", {"fast", "normal", "thorough"},
                    "calibrated, share auto: the game is not tried, is tried where it takes up to "
                    "about ten minutes of a core, or always",
                    "normal"));
  add(real_option("posterior-weight", "3", "calibrated: weight of the disambiguator's own loss", 0,
                  1000));
  add(choice_option("on-collapse", {"stop", "continue"},
                    "paper: what to do when nearly every candidate is called noise"));
  return table;
}

// What "auto" stands for.
class Choice {
 public:
  explicit Choice(const Options& options)
      : options_(options), paper_(options.text("objective") == "paper") {}

  bool paper() const { return paper_; }
  double real(const char* key, double calibrated, double literal) const {
    return options_.is_auto(key) ? (paper_ ? literal : calibrated) : options_.real(key);
  }
  std::size_t count(const char* key, std::size_t calibrated, std::size_t literal) const {
    return options_.is_auto(key) ? (paper_ ? literal : calibrated)
                                 : static_cast<std::size_t>(options_.integer(key));
  }
  std::string text(const char* key, const char* calibrated, const char* literal) const {
    return options_.is_auto(key) ? (paper_ ? literal : calibrated) : options_.text(key);
  }

 private:
  const Options& options_;
  bool paper_;
};

Prior prior_named(const std::string& name) {
  return name == "uniform"     ? Prior::Uniform
         : name == "bernoulli" ? Prior::Bernoulli
                               : Prior::Resampled;
}

GanSettings gan_settings(const Options& options, const Choice& choice) {
  GanSettings gan;
  const std::string& ablation = options.text("ablation");
  const bool generates = ablation == "none" || ablation == "cls-gen";
  const bool competes = ablation == "none" || ablation == "cls-gan";
  gan.objective.calibrated = !choice.paper();
  gan.objective.disambiguation = options.real("posterior-weight");
  gan.objective.generation = generates ? choice.real("generation-weight", 0.5, 1) : 0;
  gan.objective.adversarial = competes ? 1 : 0;  // times beta
  gan.objective.saturating =
      choice.text("generator-loss", "non-saturating", "saturating") == "saturating";
  gan.mean_classification = options.text("classification-reduction") == "mean";
  const std::string reduction = choice.text("generation-reduction", "variance", "sum");
  gan.generation = reduction == "sum"    ? Reduction::Sum
                   : reduction == "mean" ? Reduction::Mean
                                         : Reduction::Variance;
  gan.prior = prior_named(choice.text("prior", "resampled", "uniform"));
  gan.prior_rows = choice.count("prior-rows", 64, 1024);
  gan.discriminator_steps = options.count("discriminator-steps");
  gan.hidden = options.count("width");
  gan.dropout = choice.real("dropout", 0.5, 0);
  gan.template_widths = choice.paper();
  const bool stops = choice.paper() && options.text("on-collapse") == "stop";
  gan.collapse_below = stops ? kCollapsed : 0;
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

std::string reason_against_game(const std::string& budget, double wanted) {
  if (budget == "fast") return "as budget=fast wants it";
  if (budget == "thorough" || wanted <= kNormalBudget) return "";
  return fmt::format("which would take {:.0f} times what budget=normal allows",
                     std::ceil(wanted / kNormalBudget));
}

std::unique_ptr<Learner> make(const Options& options) {
  const Choice choice(options);
  EnsembleSettings settings = ensemble_settings("pml-gan", options);
  NetworkSettings& network = settings.network;
  settings.members = choice.count("members", 3, 1);
  network.dropout = choice.real("dropout", 0.5, 0);
  network.max_epochs = choice.count("epochs", 30, 200);
  network.learning_rate = choice.real("learning-rate", 1e-3, 2e-4);
  settings.noise_shares = noise_shares(options);
  settings.plain_choices = true;
  settings.betas = {choice.real("beta", 0.1, 0.1)};
  settings.shares = {kTaughtShare};
  if (options.is_auto("share"))
    settings.shares.insert(settings.shares.begin(), 0);
  else
    settings.shares = {options.real("share")};
  if (choice.paper()) {
    // No rows held out, no averaging; beta by the smallest training L_c, as the paper says.
    network.held_out_stopping = false;
    settings.plain_choices = false;
    settings.shares = {kTaughtShare};  // not used by this objective
    settings.noise_shares = {0.85};    // not used by this objective
    network.adam_beta1 = 0.5;
    settings.centred = false;
    settings.depths = {2};
    if (options.is_auto("beta")) settings.betas = {0.001, 0.01, 0.1, 1, 10};
  }
  const GanSettings gan = gan_settings(options, choice);
  network.make_trainee = [gan](const TraineeParts& parts) { return make_gan_trainee(parts, gan); };
  settings.reason_against_game = [gan, like = settings,
                                  budget = options.text("budget")](const TrainingData& data) {
    return reason_against_game(budget, operations(data, like, gan));
  };
  return std::make_unique<NetworkLearner>(std::move(settings));
}

std::unique_ptr<Model> load(ModelState state) {
  return std::make_unique<NetworkModel>(std::move(state));
}

}  // namespace

MethodInfo pml_gan_method() {
  return {"pml-gan",
          "PML-GAN",
          "a predictor, a disambiguator, a generator and a discriminator, trained as a game",
          false,
          options_table(),
          make,
          load,
          20};
}

}  // namespace sieve
