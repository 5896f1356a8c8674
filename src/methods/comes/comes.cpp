#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <optional>
#include <vector>

#include "labelsieve/error.h"
#include "methods/comes/risks.h"
#include "methods/methods.h"
#include "methods/network/member.h"
#include "methods/network/network_learner.h"
#include "methods/network/network_model.h"
#include "methods/network/network_options.h"
#include "methods/network/trainee.h"
#include "methods/shared/fit_support.h"

// COMES-HL and COMES-RL: consistent risks for over-complete labels.
namespace sieve {
namespace {

std::vector<float> weights_of(const NoiseModel& noise) {
  std::vector<float> weights;
  for (const float rate : noise.rate) weights.push_back(1 / (1 - rate));
  return weights;
}

// What both losses hold for a batch.
class ComesLoss : public PredictorLoss {
 public:
  ComesLoss(const TraineeParts& parts, std::size_t room)
      : weights_(weights_of(parts.noise)),
        room_(room),
        targets_(parts.targets),
        panel_(parts.max_batch, parts.targets.labels()) {}

 protected:
  View<const float> gathered(std::span<const std::size_t> rows) {
    gather_targets(targets_, rows, panel_);
    return panel_.view(rows.size());
  }
  std::vector<float> weights_, room_;

 private:
  Targets targets_;
  Panel<float> panel_;
};

class HammingLoss final : public ComesLoss {
 public:
  explicit HammingLoss(const TraineeParts& parts) : ComesLoss(parts, 2 * parts.targets.labels()) {}
  double batch(View<const float> logits, std::span<const std::size_t> rows,
               View<float> gradient) override {
    return hamming_risk<float>(logits, gathered(rows), weights_, room_, gradient);
  }
};

class RankingLoss final : public ComesLoss {
 public:
  RankingLoss(const TraineeParts& parts, double flood)
      : ComesLoss(parts, parts.targets.labels()), flood_(flood) {}
  double batch(View<const float> logits, std::span<const std::size_t> rows,
               View<float> gradient) override {
    return ranking_risk<float>(logits, gathered(rows), weights_, flood_, room_, gradient);
  }

 private:
  double flood_;
};

double least_ranking_risk(std::span<const float> prior) {
  double sum = 0;
  for (std::size_t j = 0; j < prior.size(); ++j)
    for (std::size_t k = 0; k < j; ++k)
      sum += std::max(0.0, 1 - static_cast<double>(prior[j]) - static_cast<double>(prior[k]));
  return sum / std::max(1.0, static_cast<double>(prior.size() * (prior.size() - 1) / 2));
}

// Predictors trained on the risks of risks.h, with the rates of the noise model.
std::unique_ptr<Trainee> make_hamming_trainee(const TraineeParts& parts) {
  return make_predictor_trainee(parts, std::make_unique<HammingLoss>(parts));
}

// `flood` empty: the least that the risk can be, whatever the predictor, given how often labels are
// right: rows for which both labels of a pair are irrelevant, at least 1 - pi_j - pi_k of all.
std::unique_ptr<Trainee> make_ranking_trainee(const TraineeParts& parts,
                                              std::optional<double> flood) {
  const double level = flood ? *flood : least_ranking_risk(parts.noise.prior);
  return make_predictor_trainee(parts, std::make_unique<RankingLoss>(parts, level));
}

// The ranking risk of held-out rows. (For the Hamming risk the likelihood under the noise model
// serves better: it is minimal for the same logits and varies less, because nothing cancels.)
double held_out_ranking_risk(const NoiseModel& noise, View<const float> logits,
                             View<const float> targets) {
  const std::vector<float> weights = weights_of(noise);
  std::vector<float> room(logits.cols);
  Panel<float> gradient(logits.rows, logits.cols);
  return static_cast<double>(logits.rows) *
         ranking_risk<float>(logits, targets, weights, 0, room, gradient.view(logits.rows));
}

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
      : settings_(std::move(settings)), ranks_(ranks) {
    settings_.row_weights = RowWeights::Refused;
  }

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
    if (data.probabilities) {
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

struct ComesSettings : NetworkSettings {
  std::optional<double> flooding{};  // of COMES-RL; nothing: its lower bound
};

// The risks vary more from batch to batch than a likelihood does: larger batches, more patience.
SettingsTable<ComesSettings> hl_table() {
  ComesSettings defaults;
  defaults.batch = 256;
  defaults.epochs = 100;
  defaults.patience = 10;
  SettingsTable<ComesSettings> table(defaults);
  add_network_options(table);
  return table;
}

SettingsTable<ComesSettings> rl_table() {
  SettingsTable<ComesSettings> table = hl_table();
  table.number("flooding", &ComesSettings::flooding,
               "risk per label pair at which flooding starts; auto: its lower bound", 0, 2);
  return table;
}

std::unique_ptr<Learner> make_hl(const Options& options) {
  EnsembleSettings settings = ensemble_settings("comes-hl", hl_table().read(options), options);
  settings.network.make_trainee = make_hamming_trainee;
  return std::make_unique<ComesLearner>(std::move(settings), false);
}

std::unique_ptr<Learner> make_rl(const Options& options) {
  const ComesSettings given = rl_table().read(options);
  EnsembleSettings settings = ensemble_settings("comes-rl", given, options);
  settings.network.make_trainee = [flood = given.flooding](const TraineeParts& parts) {
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
          hl_table().specs(),
          make_hl,
          load,
          8};
}

MethodInfo comes_rl_method() {
  return {"comes-rl",
          "COMES-RL",
          "a network on an unbiased estimate of the ranking loss, with noise rates it finds itself",
          false,
          rl_table().specs(),
          make_rl,
          load,
          10};
}

}  // namespace sieve
