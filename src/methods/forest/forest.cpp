// A forest of trees that predict all labels at once, grown on the candidates as they are.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/stage_progress.h"
#include "labelsieve/error.h"
#include "labelsieve/methods.h"
#include "labelsieve/threads.h"
#include "methods/forest/forest_model.h"
#include "methods/forest/out_of_bag.h"
#include "methods/methods.h"
#include "methods/network/noise_model.h"
#include "methods/shared/decision_goal.h"
#include "methods/shared/fit_support.h"

namespace sieve {
namespace {

constexpr std::size_t kMostNodes = (1U << 24) - 1;  // of a tree: a file counts in float32
constexpr std::array<std::size_t, 5> kLeavesTried{2, 4, 8, 20, 50};
constexpr double kNearlyBest = 1.015;
constexpr std::size_t kFewestTried = 25;       // trees, enough for many rows
constexpr std::size_t kManyTold = 50000;       // rows
constexpr std::size_t kMostForEachTried = 16;  // features whose codes are worth bringing near
constexpr double kNoiseShare = 0.85;           // of the mean frequency, where no row is out of bag

// Trees of one leaf size, and what they say of the rows they did not see.
struct Forest {
  Forest(const TrainingData& data, std::size_t smallest_leaf)
      : leaf(smallest_leaf), out_of_bag(data.rows(), data.labels()) {}
  std::size_t leaf;
  double loss = 0;
  std::vector<Tree> trees;
  OutOfBag out_of_bag;
};

class Growing {
 public:
  Growing(const TrainingData& data, const ForestSettings& settings, std::uint64_t seed, FitRun& run)
      : data_(data),
        settings_(settings),
        seed_(seed),
        run_(run),
        x_(data.features, seed, run.pool()) {
    if (data.rows() > 2 * TreeGrower::kManyRows && !x_.is_sparse() &&
        x_.features() <= kMostForEachTried * settings.features)
      x_.keep_rows(run.pool());
  }

  // Adds trees to a forest up to this number, which takes the fit up to that share of it.
  void grow(Forest& forest, std::size_t trees, const std::string& stage, double until) {
    run_.until(until);
    const std::size_t first = forest.trees.size();
    forest.trees.resize(trees);
    std::vector<std::unique_ptr<TreeGrower>> idle;
    std::mutex mutex;
    const auto take_grower = [&]() -> std::unique_ptr<TreeGrower> {
      const std::lock_guard lock(mutex);
      if (idle.empty()) return nullptr;
      std::unique_ptr<TreeGrower> grower = std::move(idle.back());
      idle.pop_back();
      return grower;
    };
    for_each_with_progress(run_.pool(), run_.progress(), stage, trees - first, [&](std::size_t i) {
      std::unique_ptr<TreeGrower> grower = take_grower();
      if (grower == nullptr)
        grower = std::make_unique<TreeGrower>(
            x_, Targets(data_),
            GrowthRules{settings_.splits == ForestSettings::Splits::Best, forest.leaf,
                        settings_.features});
      grow_tree(*grower, first + i, forest);
      const std::lock_guard lock(mutex);
      idle.push_back(std::move(grower));
    });
  }

 private:
  void grow_tree(TreeGrower& grower, std::size_t t, Forest& forest) const {
    std::vector<std::uint32_t> rows, others;
    sample(t, rows, others);
    std::vector<std::uint32_t> leaf_of(data_.rows());
    forest.trees[t] = grower.grow(rows, others, Random(seed_, Purpose::Init, t), leaf_of);
    forest.out_of_bag.add(forest.trees[t], others, leaf_of);
  }

  // The different rows of a sample, and those that are not in it.
  void sample(std::size_t t, std::vector<std::uint32_t>& rows,
              std::vector<std::uint32_t>& others) const {
    std::vector<bool> in(data_.rows(), !settings_.bootstrap);
    if (settings_.bootstrap) {
      Random random(seed_, Purpose::Bootstrap, t);
      if (are_few(in.size()))
        leave_some_out(random, in);
      else
        for (std::size_t i = 0; i < in.size(); ++i) in[random.below(in.size())] = true;
    }
    for (std::uint32_t i = 0; i < in.size(); ++i) (in[i] ? rows : others).push_back(i);
  }

  // Few rows cannot spare the third of them that a bootstrap sample lacks: all but a fifth.
  static void leave_some_out(Random& random, std::vector<bool>& in) {
    in.flip();
    for (std::size_t out = in.size() / 5; out > 0;)
      if (const std::size_t i = random.below(in.size()); in[i]) in[i] = false, --out;
  }

  const TrainingData& data_;
  const ForestSettings& settings_;
  std::uint64_t seed_;
  FitRun& run_;
  Binned x_;
};

std::vector<float> frequencies(const Targets& targets) {
  std::vector<double> sums(targets.labels());
  double all = 0;
  for (std::size_t i = 0; i < targets.rows(); ++i) {
    const double weight = double{targets.weight(i)};
    all += weight;
    targets.for_each(i, [&](std::size_t k, float target) { sums[k] += weight * double{target}; });
  }
  std::vector<float> frequency;
  for (const double sum : sums)
    frequency.push_back(static_cast<float>(sum) / static_cast<float>(all));
  return frequency;
}

std::vector<float> guessed_rates(const Targets& targets) {
  std::vector<std::size_t> rows(targets.rows());
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  return guess_noise(targets, rows, kNoiseShare).rate;
}

class ForestLearner final : public Learner {
 public:
  ForestLearner(const ForestSettings& settings, const Options& options)
      : options_(options.values()), settings_(settings) {}

  std::unique_ptr<Model> fit(const TrainingData& given, const FitOptions& fit) const override {
    const TrainingData data = learnable(given, RowWeights::Used);
    const ForestSettings settings = settings_for(data);
    check_size(data, settings);
    FitRun run(fit);
    ModelState state = described_state("forest", options_, data, fit);
    const Targets targets(data);
    ForestRates rates{frequencies(targets), {}};
    const std::unique_ptr<Forest> forest = grown(data, settings, fit.seed, run, rates.frequency);
    state.notes["smallest leaf"] = std::to_string(forest->leaf);
    Matrix scores;
    if (settings.bootstrap) {
      scores = forest->out_of_bag.probabilities(rates.frequency);
      state.notes["out-of-bag loss"] = fmt::format("{:.5f}", mean_log_loss(scores, targets));
      rates.noise =
          data.probabilities ? std::vector<float>(data.labels()) : noise_rates(scores, targets);
      rates.make_right(scores);
    } else {
      rates.noise = guessed_rates(targets);
    }
    const Decision decision = noted_decision_for(
        settings.decision, scores, {rates.noise, rates.noise, targets.weights()}, state);
    state = forest_state(std::move(state), std::move(forest->trees), rates, decision);
    return std::make_unique<ForestModel>(std::move(state), std::move(scores));
  }

  OutOfFold fit_out_of_fold(const TrainingData& data, std::size_t folds,
                            const FitOptions& fit) const override {
    check_folds(folds, data.rows());
    if (settings_.bootstrap)
      if (auto judged = out_of_fold_in_one_fit(*this, data, fit)) return *std::move(judged);
    return Learner::fit_out_of_fold(data, folds, fit);
  }

 private:
  ForestSettings settings_for(const TrainingData& data) const {
    ForestSettings settings = settings_;
    const std::size_t all = data.features.cols();
    const auto root = static_cast<std::size_t>(std::sqrt(static_cast<double>(all)));
    // Random cuts are worth less: more of them are looked at.
    if (settings.features == 0)
      settings.features = settings.splits == ForestSettings::Splits::Best
                              ? root
                              : std::max(root, std::min(all / 3, 4 * root));
    settings.features = std::clamp<std::size_t>(settings.features, 1, all);
    settings.leaf = std::min(settings.leaf, data.rows());
    return settings;
  }

  static void check_size(const TrainingData& data, const ForestSettings& settings) {
    if (data.features.cols() >= Tree::kMostFeatures)
      throw Error(Failure::Usage, std::to_string(data.features.cols()) + " features", {},
                  "a forest takes fewer than " + std::to_string(Tree::kMostFeatures));
    const LeafMemory memory(data, settings.bootstrap);
    const std::size_t leaf = settings.leaf > 0 ? settings.leaf : memory.least_leaf(settings.trees);
    if (2 * memory.leaves(leaf) > static_cast<double>(kMostNodes))
      throw Error(Failure::Usage, "trees of more than " + std::to_string(kMostNodes) + " nodes", {},
                  "make leaf larger");
    require_memory(memory.bytes(settings.trees, leaf),
                   "a forest of " + std::to_string(settings.trees) + " trees",
                   "ask for fewer trees or a larger leaf");
  }

  // What trees are grown from is let go before they are written down.
  static std::unique_ptr<Forest> grown(const TrainingData& data, const ForestSettings& settings,
                                       std::uint64_t seed, FitRun& run,
                                       std::span<const float> frequency) {
    Growing growing(data, settings, seed, run);
    std::unique_ptr<Forest> forest = settings.leaf > 0
                                         ? std::make_unique<Forest>(data, settings.leaf)
                                         : by_leaf_size(growing, data, settings, frequency);
    growing.grow(*forest, settings.trees, "growing trees", 1);
    return forest;
  }

  // A few trees of the smallest leaf size that finds the candidates of rows its trees did not see
  // nearly as likely as the best size does: small leaves tell more rows apart. Sizes go up as long
  // as it gets better.
  static std::unique_ptr<Forest> by_leaf_size(Growing& growing, const TrainingData& data,
                                              const ForestSettings& settings,
                                              std::span<const float> frequency) {
    const std::size_t least = LeafMemory(data, settings.bootstrap).least_leaf(settings.trees);
    const std::size_t tried_trees =
        data.rows() > kManyTold ? kFewestTried : std::max(kFewestTried, settings.trees / 5);
    std::vector<std::unique_ptr<Forest>> tried;
    double best = std::numeric_limits<double>::infinity();
    for (const std::size_t size : kLeavesTried) {
      Forest& forest = *tried.emplace_back(std::make_unique<Forest>(data, least * size));
      if (!settings.bootstrap) return std::move(tried.back());
      growing.grow(forest, std::min(settings.trees, tried_trees),
                   "trying leaves of " + std::to_string(forest.leaf),
                   0.1 * static_cast<double>(tried.size()));
      forest.loss = mean_log_loss(forest.out_of_bag.probabilities(frequency), Targets(data));
      if (forest.loss >= best) break;
      best = forest.loss;
    }
    return std::move(*std::ranges::find_if(
        tried, [&](const auto& forest) { return forest->loss <= kNearlyBest * best; }));
  }

  std::map<std::string, std::string> options_;  // as given, for the record
  ForestSettings settings_;
};

SettingsTable<ForestSettings> table() {
  using S = ForestSettings;
  SettingsTable<S> table;
  table.number("trees", &S::trees, "trees", 1, 65535);
  table.number("leaf", &S::leaf, "fewest rows in a leaf; 0: by out-of-bag candidates", 0, 1e9);
  table.number(
      "features", &S::features,
      "features tried at a split; 0: the square root of all (best) or 4 times that (extra)", 0,
      1e9);
  table.choice("splits", &S::splits, {"extra", "best"},
               "extra: the best of one random cut for each feature tried; best: of all cuts");
  table.flag("bootstrap", &S::bootstrap,
             "grow each tree on a bootstrap sample of the rows, so that the others judge it");
  add_decision(table);
  return table;
}

std::unique_ptr<Learner> make(const Options& options) {
  return std::make_unique<ForestLearner>(table().read(options), options);
}

std::unique_ptr<Model> load(ModelState state) {
  return std::make_unique<ForestModel>(std::move(state));
}

}  // namespace

std::unique_ptr<Learner> make_forest(const ForestSettings& settings) {
  return std::make_unique<ForestLearner>(settings, table().options(settings));
}

MethodInfo forest_method() {
  return {"forest",
          "Forest",
          "trees for all labels at once, grown on the candidates, corrected for label noise",
          false,
          table().specs(),
          make,
          load,
          5,
          true};
}

}  // namespace sieve
