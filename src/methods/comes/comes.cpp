// COMES-HL and COMES-RL: consistent risks for over-complete labels.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "base/option_specs.h"
#include "labelsieve/error.h"
#include "methods/comes/comes_trainee.h"
#include "methods/comes/hamming_cut.h"
#include "methods/comes/noise_estimate.h"
#include "methods/methods.h"
#include "methods/network/network_learner.h"
#include "methods/network/network_model.h"
#include "methods/network/network_options.h"
#include "methods/shared/fit_support.h"

namespace sieve {
namespace {

constexpr const char* kRate = "warm_up/rate";
constexpr const char* kPrior = "warm_up/prior";
constexpr const char* kDepth = "warm_up/depth";
constexpr double kLargestShare = 0.999, kDeepest = 8;  // of what a checkpoint may say

// What the second stage takes from the first.
struct WarmUp {
  NoiseModel noise;
  std::size_t depth = 0;
};

void write(const WarmUp& warm_up, ModelState& state) {
  state.tensors.push_back({kRate, {warm_up.noise.rate.size()}, warm_up.noise.rate});
  state.tensors.push_back({kPrior, {warm_up.noise.prior.size()}, warm_up.noise.prior});
  state.tensors.push_back({kDepth, {1}, {static_cast<float>(warm_up.depth)}});
}

// Nothing if the checkpoint was made during the warm-up.
std::optional<WarmUp> read(const ModelState& state, std::size_t labels) {
  if (std::ranges::find(state.tensors, kRate, &Tensor::name) == state.tensors.end()) return {};
  const std::vector<float>&rate = state.tensor(kRate).values, &prior = state.tensor(kPrior).values,
        &depth = state.tensor(kDepth).values;
  const auto between = [](double low, double high) {
    return [low, high](float value) { return double{value} >= low && double{value} <= high; };
  };
  if (rate.size() != labels || prior.size() != labels || depth.size() != 1 ||
      !std::ranges::all_of(rate, between(0, kLargestShare)) ||
      !std::ranges::all_of(prior, between(0, 1)) || !between(0, kDeepest)(depth[0]))
    throw Error(Failure::Model, "the checkpoint belongs to another training");
  return WarmUp{{rate, prior}, static_cast<std::size_t>(depth[0])};
}

// Checkpoints of the second stage tell what the first has found.
class CheckpointsAfter final : public CheckpointSink {
 public:
  CheckpointsAfter(CheckpointSink& below, const WarmUp& warm_up)
      : below_(below), warm_up_(warm_up) {}
  bool due() const override { return below_.due(); }
  void save(const ModelState& state) override {
    ModelState all = state;
    write(warm_up_, all);
    below_.save(all);
  }

 private:
  CheckpointSink& below_;
  const WarmUp& warm_up_;
};

// The rows that members held out, each scored by the member that did not learn from it.
struct HeldOutScores {
  Matrix scores;
  LabelMatrix candidates;
};
HeldOutScores held_out_scores(const NetworkModel& model, const TrainingData& data,
                              ThreadPool& pool) {
  HeldOutScores held{Matrix(0, data.labels()), LabelMatrix(0, data.labels())};
  for (std::size_t fold = 0; fold < std::min(model.members(), kHeldOutFolds); ++fold) {
    const std::vector<std::size_t> rows = hold_out(data.rows(), fold).test;
    const Matrix scores = model.member_scores(fold, data.features.subset(rows), pool);
    const std::size_t first = held.scores.rows();
    held.scores.resize_rows(first + rows.size());
    held.candidates.resize_rows(first + rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      std::ranges::copy(scores.row(i), held.scores.row(first + i).begin());
      std::ranges::copy(data.candidates.words(rows[i]), held.candidates.words(first + i).begin());
    }
  }
  return held;
}

class ComesLearner final : public Learner {
 public:
  ComesLearner(EnsembleSettings settings, bool ranks)
      : settings_(std::move(settings)), ranks_(ranks) {}

  std::unique_ptr<Model> fit(const TrainingData& given, const FitOptions& options) const override {
    const TrainingData data = stored_by_content(given);
    ThreadPool alone(1);
    FitOptions second = options;
    if (second.threads == nullptr) second.threads = &alone;
    std::optional<WarmUp> warm_up;
    if (options.resume_from != nullptr) warm_up = read(*options.resume_from, data.labels());
    if (!warm_up) {
      warm_up = find_noise(data, second);
      second.resume_from = nullptr;
    }
    std::optional<CheckpointsAfter> checkpoints;
    if (options.checkpoints != nullptr)
      second.checkpoints = &checkpoints.emplace(*options.checkpoints, *warm_up);
    return train(data, second, *warm_up);
  }

 private:
  // Networks that take every candidate as right, one for each held-out fifth of the rows, say where
  // a label is sure not to be; the depth that suits them is kept. Beliefs have no noise to find.
  WarmUp find_noise(const TrainingData& data, const FitOptions& options) const {
    EnsembleSettings settings = settings_;
    settings.network.make_trainee = make_plain_trainee;
    settings.network.held_out_loss = {};
    settings.members = kHeldOutFolds;
    settings.noise_shares = {0};
    settings.stage = "warm-up";
    const auto model = NetworkLearner(settings).fit(data, options);
    const std::size_t depth = model->state().choices.depth.value();
    if (data.beliefs) {
      std::vector<std::size_t> rows(data.rows());
      std::iota(rows.begin(), rows.end(), std::size_t{0});
      return {guess_noise(Targets(data), rows, 0), depth};
    }
    const HeldOutScores held =
        held_out_scores(dynamic_cast<const NetworkModel&>(*model), data, *options.threads);
    return {estimate_noise(held.scores, held.candidates), depth};
  }

  std::unique_ptr<Model> train(const TrainingData& data, const FitOptions& options,
                               const WarmUp& warm_up) const {
    EnsembleSettings settings = settings_;
    settings.depths = {warm_up.depth};
    settings.network.noise = warm_up.noise;
    std::unique_ptr<Model> model = NetworkLearner(settings).fit(data, options);
    ModelState state = model->state();
    state.choices.noise_share.reset();  // not used
    state.choices.beta.reset();
    if (ranks_) {
      const HeldOutScores held =
          held_out_scores(dynamic_cast<const NetworkModel&>(*model), data, *options.threads);
      const double cut =
          std::clamp(best_hamming_cut(held.scores, held.candidates, warm_up.noise), 1e-6, 1 - 1e-6);
      shift_logits(state, static_cast<float>(std::log((1 - cut) / cut)));
    }
    return std::make_unique<NetworkModel>(std::move(state));
  }

  EnsembleSettings settings_;
  bool ranks_;
};

// The risks vary more from batch to batch than a likelihood does: larger batches, more patience.
std::vector<OptionSpec> comes_options() {
  std::vector<OptionSpec> table = network_options();
  for (OptionSpec& option : table)
    for (const auto& [key, value] :
         {std::pair{"batch", "256"}, {"epochs", "100"}, {"patience", "10"}})
      if (option.key == key) option.default_value = value;
  return table;
}

std::unique_ptr<Learner> make_hl(const Options& options) {
  EnsembleSettings settings = ensemble_settings("comes-hl", options);
  settings.network.make_trainee = make_hamming_trainee;
  return std::make_unique<ComesLearner>(std::move(settings), false);
}

std::unique_ptr<Learner> make_rl(const Options& options) {
  EnsembleSettings settings = ensemble_settings("comes-rl", options);
  std::optional<double> flood;
  if (!options.is_auto("flooding")) flood = options.real("flooding");
  settings.network.make_trainee = [flood](const TraineeParts& parts) {
    return make_ranking_trainee(parts, flood);
  };
  settings.network.held_out_loss = held_out_ranking_risk;
  return std::make_unique<ComesLearner>(std::move(settings), true);
}

std::unique_ptr<Model> load(ModelState state) {
  return std::make_unique<NetworkModel>(std::move(state));
}

}  // namespace

MethodInfo comes_hl_method() {
  return {"comes-hl",
          "COMES-HL",
          "a network on an unbiased estimate of the Hamming loss, with noise rates it finds itself",
          false,
          comes_options(),
          make_hl,
          load,
          8};
}

MethodInfo comes_rl_method() {
  std::vector<OptionSpec> options = comes_options();
  options.push_back(
      real_option("flooding", "auto",
                  "risk per label pair at which flooding starts; auto: its lower bound", 0, 2));
  return {"comes-rl",
          "COMES-RL",
          "a network on an unbiased estimate of the ranking loss, with noise rates it finds itself",
          false,
          std::move(options),
          make_rl,
          load,
          10};
}

}  // namespace sieve
