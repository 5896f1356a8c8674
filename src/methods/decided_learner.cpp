#include "methods/decided_learner.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "base/option_specs.h"
#include "crowd/bernoulli_fit.h"
#include "labelsieve/error.h"
#include "methods/forest/noise_evidence.h"
#include "methods/shared/decision_goal.h"
#include "methods/shared/fit_support.h"
#include "methods/shared/out_of_fold.h"
#include "methods/shared/targets.h"
#include "nn/functions.h"

namespace sieve {
namespace {

constexpr std::size_t kFolds = 5;
constexpr double kSurelyNoise = 0.1;        // of no noise at all: below
constexpr std::size_t kMostCells = 300000;  // are enough for two numbers
constexpr double kLeast = 1e-6;

double odds_of(float probability) {
  const double p = std::clamp(double{probability}, kLeast, 1 - kLeast);
  return std::log(p / (1 - p));
}

// At what rate each label becomes a candidate where it is not right: as the model has it, or else
// as the held-out probabilities tell.
std::vector<float> rates_of(const Model& model, const Matrix& probabilities, const Targets& targets,
                            ThreadPool& pool) {
  if (targets.are_probabilities()) return std::vector<float>(targets.labels());
  const std::vector<Tensor>& tensors = model.state().tensors;
  const auto own = std::ranges::find(tensors, "noise_rate", &Tensor::name);
  if (own != tensors.end()) return own->values;
  NoiseEvidence evidence = weigh_noise(probabilities, targets.candidates(), pool);
  return evidence.no_noise < kSurelyNoise ? std::move(evidence.rates)
                                          : std::vector<float>(targets.labels());
}

// What methods call a probability may be far from one: a line on its log-odds, the same for all
// labels, makes held-out candidates most likely.
void calibrate(const Targets& targets, std::span<const float> rates, Matrix& right) {
  const std::size_t labels = right.cols(), cells = right.rows() * labels;
  const std::size_t stride = (cells + kMostCells - 1) / kMostCells;
  const auto mean = [&](std::size_t item, std::span<const double> line, std::span<double> slope) {
    const std::size_t cell = item * stride, i = cell / labels, k = cell % labels;
    const double odds = odds_of(right(i, k)), rate = double{rates[k]};
    const double f = std::clamp(sigmoid(line[0] + line[1] * odds), kLeast, 1 - kLeast);
    slope[0] = (1 - rate) * f * (1 - f);
    slope[1] = slope[0] * odds;
    return BernoulliCase{rate + (1 - rate) * f, targets(i, k) >= 0.5F};
  };
  const std::vector<double> line =
      fit_bernoulli((cells + stride - 1) / stride, mean, {{0, 1}, {0.1, 10}}, {0, 1}).parameters;
  for (std::size_t i = 0; i < right.rows(); ++i)
    for (float& f : right.row(i))
      f = static_cast<float>(sigmoid(line[0] + std::max(line[1], 0.0) * odds_of(f)));
}

bool all_alike(const Matrix& right) {
  for (std::size_t i = 0; i < right.rows(); ++i)
    for (const float f : right.row(i))
      if (f != right(0, 0)) return false;
  return true;
}

// Between the largest score that is off and the least that is on.
double score_at(double threshold, const Matrix& scores, const Matrix& right) {
  double off = -std::numeric_limits<double>::infinity(), on = -off;
  for (std::size_t i = 0; i < scores.rows(); ++i)
    for (std::size_t k = 0; k < scores.cols(); ++k) {
      const double score = double{scores(i, k)};
      if (double{right(i, k)} >= threshold)
        on = std::min(on, score);
      else
        off = std::max(off, score);
    }
  if (!std::isfinite(on)) return std::nextafter(off, on);
  return std::isfinite(off) && off < on ? (off + on) / 2 : on;
}

class DecidedLearner final : public Learner {
 public:
  DecidedLearner(std::unique_ptr<Learner> inner, std::string goal,
                 std::unique_ptr<Model> (*load)(ModelState))
      : inner_(std::move(inner)), goal_(std::move(goal)), load_(load) {}

  std::unique_ptr<Model> fit(const TrainingData& data, const FitOptions& fit) const override {
    if (fit.team != nullptr) throw refusal("on several ranks", Failure::Usage);
    if (data.rows() < kFolds)
      throw refusal("from " + std::to_string(data.rows()) + " rows", Failure::Data);
    ModelState state = inner_->fit(data, fit)->state();
    const Decision decision = learnt(stored_by_content(data), fit);
    std::erase_if(state.tensors, [](const Tensor& tensor) { return tensor.name == "decision"; });
    decision.write(state);
    state.options["decision"] = goal_;
    return load_(std::move(state));
  }

  OutOfFold fit_out_of_fold(const TrainingData& data, std::size_t folds,
                            const FitOptions& fit) const override {
    return inner_->fit_out_of_fold(data, folds, fit);
  }

 private:
  Error refusal(const std::string& where, Failure kind) const {
    return {kind,
            "decision=" + goal_ + " cannot be learnt " + where,
            {},
            "it needs at least " + std::to_string(kFolds) +
                " rows, one process, and scores that differ; decision=own is always there"};
  }

  Decision learnt(const TrainingData& data, const FitOptions& fit) const {
    const OutOfFold judged = inner_->fit_out_of_fold(data, kFolds, out_of_fold_fit(fit));
    const Targets targets(data);
    std::optional<ThreadPool> own;
    ThreadPool& pool = fit.threads != nullptr ? *fit.threads : own.emplace(1);
    Matrix right = judged.model->probabilities(judged.scores.clone());
    const std::vector<float> rates = rates_of(*judged.model, right, targets, pool);
    calibrate(targets, rates, right);
    if (all_alike(right)) throw refusal("where all labels of all rows score alike", Failure::Data);
    const auto goal = std::ranges::find(names_of_goals(), goal_) - names_of_goals().begin();
    Decision decision =
        decision_for(static_cast<DecisionGoal>(goal), right, {rates, rates, targets.weights()});
    decision.threshold = score_at(decision.threshold, judged.scores, right);
    return decision;
  }

  std::unique_ptr<Learner> inner_;
  std::string goal_;
  std::unique_ptr<Model> (*load_)(ModelState);
};

}  // namespace

OptionSpec own_decision_option() {
  std::vector<std::string> names = names_of_goals();
  names.insert(names.begin(), "own");
  return choice_option(
      "decision", names,
      "which scores mean that a label is predicted: own, by the method's own rule; else from one "
      "score on, learnt from held-out rows (five fits more): balanced, hamming, f1 or cardinality, "
      "as in blend");
}

std::unique_ptr<Learner> with_decision(std::unique_ptr<Learner> inner, std::string goal,
                                       std::unique_ptr<Model> (*load)(ModelState)) {
  return std::make_unique<DecidedLearner>(std::move(inner), std::move(goal), load);
}

}  // namespace sieve
