#include "methods/methods.h"
#include "methods/network/network_learner.h"
#include "methods/network/network_model.h"
#include "methods/network/network_options.h"
#include "methods/pml_gan/gan_trainee.h"

namespace sieve {
namespace {

std::vector<OptionSpec> options_table() {
  using Type = OptionSpec::Type;
  std::vector<OptionSpec> table = network_options();
  table.push_back({"ablation",
                   Type::Choice,
                   "none",
                   "what to leave out, as in the paper's study",
                   0,
                   0,
                   {"none", "cls-gen", "cls-gan", "cls-ml"},
                   false});
  table.push_back({"noise-share",
                   Type::Real,
                   "auto",
                   "rate of noise as a multiple of the mean candidate frequency",
                   0.01,
                   1,
                   {},
                   true});
  table.push_back({"share",
                   Type::Real,
                   "0.5",
                   "part of the predictor's target that the disambiguator gives",
                   0,
                   1,
                   {},
                   false});
  table.push_back({"posterior-weight",
                   Type::Real,
                   "3",
                   "weight of the disambiguator's own loss",
                   0,
                   1000,
                   {},
                   false});
  table.push_back({"generation-weight",
                   Type::Real,
                   "0.5",
                   "weight of the generation loss",
                   0,
                   1000,
                   {},
                   false});
  table.push_back(
      {"beta", Type::Real, "0.1", "weight of the adversarial loss", 0, 1000, {}, false});
  table.push_back(
      {"prior-rows", Type::Integer, "64", "label vectors sampled in a step", 2, 65536, {}, false});
  return table;
}

GanSettings gan_settings(const Options& options) {
  GanSettings gan;
  const std::string& ablation = options.text("ablation");
  const bool generates = ablation == "none" || ablation == "cls-gen";
  const bool competes = ablation == "none" || ablation == "cls-gan";
  gan.objective.noise_share = 1 - options.real("share");
  gan.objective.disambiguation = options.real("posterior-weight");
  gan.objective.generation = generates ? options.real("generation-weight") : 0;
  gan.objective.adversarial = competes ? 1 : 0;  // times beta
  gan.prior_rows = static_cast<std::size_t>(options.integer("prior-rows"));
  gan.hidden = static_cast<std::size_t>(options.integer("width"));
  gan.dropout = options.real("dropout");
  return gan;
}

std::unique_ptr<Learner> make(const Options& options) {
  EnsembleSettings settings = ensemble_settings("pml-gan", options);
  settings.noise_shares =
      options.is_auto("noise-share") ? std::vector{0.85} : std::vector{options.real("noise-share")};
  settings.beta = options.real("beta");
  settings.network.make_trainee = [gan = gan_settings(options)](const TraineeParts& parts) {
    return make_gan_trainee(parts, gan);
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
          load};
}

}  // namespace sieve
