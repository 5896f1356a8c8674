// Models of different kinds, each judged by rows it did not see, and what they say put together.
#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <numeric>
#include <span>
#include <utility>

#include "base/stage_progress.h"
#include "labelsieve/error.h"
#include "methods/blend/blend_model.h"
#include "methods/blend/weights.h"
#include "methods/forest/forest_model.h"
#include "methods/forest/noise_evidence.h"
#include "methods/forest/out_of_bag.h"
#include "methods/methods.h"
#include "methods/neighbours/neighbours_model.h"
#include "methods/network/member.h"
#include "methods/network/network_options.h"
#include "methods/network/noise_model.h"
#include "methods/ridge/ridge_model.h"
#include "methods/shared/decision_goal.h"
#include "methods/shared/fit_support.h"

namespace sieve {
namespace {

// Bytes of features beyond which a kind is left out. Fixed, so that all machines give one model.
constexpr std::size_t kMostForForests = std::size_t{1} << 30;
constexpr std::size_t kMostForGame = std::size_t{400} << 20;
constexpr std::size_t kMostFeaturesForForests = std::size_t{1} << 24;
constexpr std::size_t kMostFeaturesForNeighbours = std::size_t{1} << 15;

// Where no noise is found, a candidate is doubted only if it is hardly ever right.
constexpr float kLeastBelieved = 0.01F;

// Of the mean frequency of candidates: as much may be noise where nothing tells better.
constexpr double kDoubtedShare = 0.85;

struct Part {
  const PartKind* kind;
  std::unique_ptr<Model> model;
};

// What the forests say of noise. Without forests, and of votes, nothing is known.
struct Noise {
  bool known = false, clean = false;
  std::vector<float> rates;
  std::vector<float> doubted;  // rates that any part might find, by which candidates are judged
};

class BlendLearner final : public Learner {
 public:
  BlendLearner(const BlendSettings& settings, const Options& options)
      : options_(options.values()), settings_(settings) {}

  std::unique_ptr<Model> fit(const TrainingData& given, const FitOptions& fit) const override {
    const TrainingData data = learnable(given, RowWeights::Used);
    check_checkpoint(fit.resume_from, data.features);
    FitOptions without_checkpoint = fit;
    without_checkpoint.resume_from = nullptr;
    FitRun run(without_checkpoint);
    ModelState state = described_state("blend", options_, data, fit);
    std::string left_out;
    Noise noise;
    std::vector<Part> parts = fit_parts(data, fit, run, noise, left_out);
    add_ridge(data, run, parts);
    add_neighbours(data, fit.seed, run, parts, left_out);
    return blended(std::move(state), std::move(parts), noise, left_out, data, run.pool());
  }

  OutOfFold fit_out_of_fold(const TrainingData& data, std::size_t folds,
                            const FitOptions& fit) const override {
    check_folds(folds, data.rows());
    if (auto judged = out_of_fold_in_one_fit(*this, data, fit)) return *std::move(judged);
    return Learner::fit_out_of_fold(data, folds, fit);
  }

 private:
  bool is_forest(const PartKind& kind) const { return kind.method == forest_method; }

  // How much of the fit is done after a kind, by experience.
  double done_after(const PartKind& kind) const {
    const bool best = kind.splits == ForestSettings::Splits::Best;
    const double part = kind.method == pml_gan_method     ? 1
                        : kind.method == mlp_noise_method ? 0.5
                        : best                            ? 0.25
                                                          : 0.08;
    return settings_.budget == Budget::Thorough ? part : std::min(1.0, 2 * part);
  }

  // Why a kind is not tried, or "".
  std::string reason_against(const PartKind& kind, const Features& x) const {
    if (kind.method == pml_gan_method && settings_.budget != Budget::Thorough)
      return "was not tried";
    const std::size_t most = is_forest(kind)                 ? kMostForForests
                             : kind.method == pml_gan_method ? kMostForGame
                                                             : x.bytes();
    if (x.bytes() > most || (is_forest(kind) && x.cols() >= kMostFeaturesForForests))
      return "was left out, the features are too many";
    return "";
  }

  // Only networks write checkpoints. They come last: what is done before them is done again.
  void check_checkpoint(const ModelState* checkpoint, const Features& x) const {
    if (checkpoint == nullptr) return;
    const bool ours = std::ranges::any_of(part_kinds(), [&](const PartKind& kind) {
      return !is_forest(kind) && kind.method().name == checkpoint->method &&
             reason_against(kind, x).empty();
    });
    if (!ours) throw foreign_checkpoint();
  }

  std::vector<Part> fit_parts(const TrainingData& data, const FitOptions& fit, FitRun& run,
                              Noise& noise, std::string& left_out) const {
    std::vector<Part> parts;
    bool resumes_later = fit.resume_from != nullptr;
    for (const PartKind& kind : part_kinds()) {
      if (is_added_later(kind)) continue;
      if (const std::string reason = reason_against(kind, data.features); !reason.empty()) {
        left_out += fmt::format("; {} {}", kind.title, reason);
        continue;
      }
      if (kind.method == mlp_noise_method) noise = noise_of(data, parts, run.pool());
      if (kind.method == pml_gan_method && noise.clean) {
        left_out += fmt::format("; {} was left out, no noise was found", kind.title);
        continue;
      }
      const std::string method = kind.method().name;
      run.until(done_after(kind));
      StageProgress progress(run.progress(), kind.title);
      FitOptions own;
      own.seed = fit.seed;
      own.threads = &run.pool();
      own.progress = &progress;
      // What is done once more on the way to a checkpoint does not take its place.
      const bool on_the_way = resumes_later && fit.resume_from->method != method;
      if (!on_the_way) own.checkpoints = fit.checkpoints;
      if (resumes_later && !on_the_way) own.resume_from = fit.resume_from, resumes_later = false;
      if (kind.method == mlp_noise_method) own.on_epoch = fit.on_epoch;
      parts.push_back({&kind, learner_of(kind, data, parts, noise)->fit(data, own)});
    }
    return parts;
  }

  static bool is_added_later(const PartKind& kind) {
    return kind.method == ridge_method || kind.method == neighbours_method;
  }

  // The largest rate of noise that any part assumes, for each label.
  static std::vector<float> rates_of(const std::vector<Part>& parts, std::size_t labels) {
    std::vector<float> rates(labels);
    for (const Part& part : parts) raise(rates, part.model->state().tensor("noise_rate").values);
    return rates;
  }

  // On sparse rows alone.
  static void add_ridge(const TrainingData& data, FitRun& run, std::vector<Part>& parts) {
    const auto kind = std::ranges::find(part_kinds(), &ridge_method, &PartKind::method);
    std::unique_ptr<Model> model =
        fit_ridge_part(data, rates_of(parts, data.labels()), run.pool(), run.progress());
    if (model != nullptr) parts.push_back({&*kind, std::move(model)});
  }

  // Labels that spread over all rows, with the noise that the other parts assume.
  static void add_neighbours(const TrainingData& data, std::uint64_t seed, FitRun& run,
                             std::vector<Part>& parts, std::string& left_out) {
    const PartKind& kind = part_kinds().back();
    if (data.features.cols() > kMostFeaturesForNeighbours) {
      if (data.unlabelled)
        left_out += fmt::format("; {} were left out, the features are too many", kind.title);
      return;
    }
    std::unique_ptr<Model> model =
        fit_neighbours(data, rates_of(parts, data.labels()), seed, run.pool(), run.progress());
    if (model != nullptr) parts.push_back({&kind, std::move(model)});
  }

  // One rate of noise for each label, from what both forests say of rows they did not see; 0 where
  // they see none. They take it off, and the networks assume it.
  static Noise noise_of(const TrainingData& data, const std::vector<Part>& forests,
                        ThreadPool& pool) {
    Noise noise;
    if (forests.empty() || data.probabilities) return noise;
    const Targets targets(data);
    Matrix candidates(data.rows(), data.labels());
    for (const Part& part : forests)
      dynamic_cast<const ForestModel&>(*part.model)
          .add_held_out_candidates(1.0F / static_cast<float>(forests.size()), candidates);
    noise.known = true;
    noise.rates.assign(data.labels(), 0);
    if (const auto evidence = find_noise(candidates, data.candidates, pool)) {
      noise.rates = are_filled_up(data.candidates) ? common_noise_rate(candidates, targets)
                                                   : noise_rates(candidates, targets, *evidence);
      noise.doubted = guess_noise(targets, all_rows(data), kDoubtedShare).rate;
      for (const Part& part : forests)
        raise(noise.doubted, part.model->state().tensor("noise_rate").values);
    } else {
      noise.clean = true;
    }
    for (const Part& part : forests) dynamic_cast<ForestModel&>(*part.model).set_noise(noise.rates);
    return noise;
  }

  static std::vector<std::size_t> all_rows(const TrainingData& data) {
    std::vector<std::size_t> rows(data.rows());
    std::iota(rows.begin(), rows.end(), std::size_t{0});
    return rows;
  }

  // To what is more, number by number.
  static void raise(std::vector<float>& values, std::span<const float> to) {
    std::ranges::transform(values, to, values.begin(),
                           [](float a, float b) { return std::max(a, b); });
  }

  std::unique_ptr<Learner> learner_of(const PartKind& kind, const TrainingData& data,
                                      const std::vector<Part>& before, const Noise& noise) const {
    if (is_forest(kind)) return forest(kind, data);
    if (kind.method == pml_gan_method) return game(data, before.back().model->state().choices);
    return networks(data, noise);
  }

  // Of one leaf size, which is as good as choosing it and takes less time; larger where the
  // leaves would take too much memory.
  std::unique_ptr<Learner> forest(const PartKind& kind, const TrainingData& data) const {
    const std::size_t trees =
        settings_.trees.value_or(settings_.budget == Budget::Fast ? 200 : 500);
    return make_forest({.trees = trees,
                        .leaf = std::max(kind.leaf, LeafMemory(data, true).least_leaf(trees)),
                        .splits = kind.splits});
  }

  // A network for each part of the rows that one holds out: so there is one that did not see it.
  std::unique_ptr<Learner> networks(const TrainingData& data, const Noise& noise) const {
    NetworkSettings settings{.members = kHeldOutFolds,
                             .width = settings_.width,
                             .batch = batch_for(data.rows()),
                             .epochs = settings_.epochs};
    if (noise.clean) return mlp_without_noise(settings);
    if (noise.known)
      return mlp_with_noise(settings, known_noise(Targets(data), all_rows(data), noise.rates));
    settings.label_rates = NetworkSettings::LabelRates::Yes;
    if (settings_.budget == Budget::Fast) settings.noise_share = kDoubtedShare;
    return make_mlp_noise(settings);
  }

  // An epoch of few rows is to have some steps all the same.
  static std::size_t batch_for(std::size_t rows) {
    constexpr std::size_t kLeast = 16, kUsual = 64, kSteps = 24;
    return std::clamp(std::bit_floor(rows / kSteps), kLeast, kUsual);
  }

  // With what the networks have found.
  std::unique_ptr<Learner> game(const TrainingData& data, const Choices& found) const {
    PmlGanSettings settings{.members = kHeldOutFolds,
                            .depth = found.depth.value(),
                            .width = settings_.width,
                            .epochs = settings_.epochs,
                            .share = 0.5};
    if (!data.probabilities) settings.noise_share = found.noise_share.value();
    return make_pml_gan(settings);
  }

  // Each part is let go once the blend has its numbers: together they may be large.
  std::unique_ptr<Model> blended(ModelState state, std::vector<Part> parts, const Noise& noise,
                                 const std::string& left_out, const TrainingData& data,
                                 ThreadPool& pool) const {
    const Targets targets(data);
    std::vector<Judgement> judgements;
    judgements.reserve(parts.size());
    for (const Part& part : parts)
      judgements.push_back(
          {held_out_scores_of(*part.model), part.model->state().tensor("noise_rate").values});
    const bool judged = std::ranges::all_of(judgements, &Judgement::right);
    std::vector<float> weights =
        judged ? weights_of(parts, judgements, data, pool)
               : std::vector<float>(parts.size(), 1.0F / static_cast<float>(parts.size()));
    if (is_neighbours(parts.back()) && weights.back() == 0 && !data.unlabelled)  // not asked for
      parts.pop_back(), judgements.pop_back(), weights.pop_back();
    const std::size_t labels = targets.labels();
    Matrix out_of_fold(judged ? targets.rows() : 0, labels);
    BlendSums sums{{},
                   std::vector<float>(labels),
                   std::vector<float>(labels, targets.are_probabilities() ? 0 : kLeastBelieved),
                   no_mix(labels),
                   {}};
    raise(sums.believed, noise.doubted);
    for (std::size_t m = 0; m < parts.size(); ++m) {
      const Judgement& part = judgements[m];
      raise(sums.believed, part.rate);
      for (std::size_t k = 0; k < labels; ++k) sums.rate[k] += weights[m] * part.rate[k];
      if (weights[m] != 0) {
        sums.weights.push_back(weights[m]);
        if (judged) add_log_odds(*part.right, weights[m], pool, out_of_fold);
        add_part(*parts[m].kind, parts[m].model->state(), state);
      }
      parts[m].model.reset();
    }
    if (judged) sums.mix = learn_label_mix(out_of_fold, sums.rate, targets, pool);
    apply(sums.mix, pool, out_of_fold);
    out_of_fold = probabilities_of(std::move(out_of_fold));
    sums.decision = noted_decision_for(settings_.decision, out_of_fold,
                                       {sums.rate, feared_rates(sums), targets.weights()}, state);
    add_sums(std::move(sums), state);
    state.notes["kept"] = listed(parts, weights) + left_out;
    return std::make_unique<BlendModel>(std::move(state), std::move(out_of_fold));
  }

  static bool is_neighbours(const Part& part) { return part.kind->method == neighbours_method; }
  static bool is_ridge(const Part& part) { return part.kind->method == ridge_method; }

  // Neighbours are for rows that nobody annotated. Without such rows they are taken only where they
  // are clearly better than everything else; whether a regression is there does not decide it.
  static std::vector<float> weights_of(const std::vector<Part>& parts,
                                       std::span<const Judgement> judgements,
                                       const TrainingData& data, ThreadPool& pool) {
    if (parts.size() < 2 || !is_neighbours(parts.back()))
      return learn_weights(judgements, Targets(data), pool);
    const auto rivals = static_cast<std::size_t>(std::ranges::count_if(
        parts, [](const Part& part) { return !is_ridge(part) && !is_neighbours(part); }));
    return learn_weights_with_last(judgements, rivals, !data.unlabelled, Targets(data), pool);
  }

  // Rates that were found are believed only so far: noise may be half of the way up to what
  // candidates are judged by, and is likely a tenth of its spread higher.
  static std::vector<float> feared_rates(const BlendSums& sums) {
    std::vector<float> feared;
    for (std::size_t k = 0; k < sums.rate.size(); ++k) {
      const float rate = sums.rate[k];
      feared.push_back(
          rate == 0 ? 0 : std::max(rate + 0.1F * rate * (1 - rate), (rate + sums.believed[k]) / 2));
    }
    return feared;
  }

  // "networks 0.41, forest (extra) 0.59; forest (best) did not help"
  static std::string listed(const std::vector<Part>& parts, const std::vector<float>& weights) {
    std::vector<std::pair<float, const char*>> sorted;
    for (std::size_t m = 0; m < parts.size(); ++m)
      sorted.emplace_back(-weights[m], parts[m].kind->title);
    std::ranges::stable_sort(sorted, {}, &std::pair<float, const char*>::first);
    std::string text;
    for (const auto& [weight, title] : sorted)
      text += weight < 0 ? fmt::format("{}{} {:.2f}", text.empty() ? "" : ", ", title, -weight)
                         : fmt::format("; {} did not help", title);
    return text;
  }

  std::map<std::string, std::string> options_;  // as given, for the record
  BlendSettings settings_;
};

SettingsTable<BlendSettings> table() {
  using S = BlendSettings;
  SettingsTable<S> table;
  table.choice("budget", &S::budget, {"fast", "normal", "thorough"},
               "what is tried: networks with a short search and few trees, with all of both, or "
               "also adversarial PML-GAN");
  table.number("trees", &S::trees, "trees in each forest; auto: 200 (fast) or 500", 1, 65535);
  add_width(table);
  add_epochs(table);
  add_decision(table);
  return table;
}

std::unique_ptr<Learner> make(const Options& options) {
  return std::make_unique<BlendLearner>(table().read(options), options);
}

std::unique_ptr<Model> load(ModelState state) {
  return std::make_unique<BlendModel>(std::move(state));
}

}  // namespace

std::unique_ptr<Learner> make_blend(const BlendSettings& settings) {
  return std::make_unique<BlendLearner>(settings, table().options(settings));
}

MethodInfo blend_method() {
  return {"blend",
          "Blend",
          "networks and forests together, weighted by how well they judge rows they did not see",
          false,
          table().specs(),
          make,
          load,
          5,
          true,
          true};
}

}  // namespace sieve
