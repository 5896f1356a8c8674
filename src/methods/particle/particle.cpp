#include "methods/particle/particle.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "base/option_specs.h"
#include "labelsieve/error.h"
#include "labelsieve/metrics.h"
#include "labelsieve/prepare.h"
#include "labelsieve/threads.h"
#include "methods/methods.h"
#include "methods/particle/confidences.h"
#include "methods/shared/decision.h"
#include "methods/shared/fit_support.h"

namespace sieve {
namespace {

void make_shares(MatrixD& counts) {
  for (std::size_t j = 0; j < counts.rows(); ++j) {
    const std::span<double> row = counts.row(j);
    const double sum = std::accumulate(row.begin(), row.end(), 0.0);
    for (double& count : row) count /= sum;
  }
}

}  // namespace

double WinCounts::posterior(std::size_t label, std::size_t wins) const {
  const double yes = prior[label] * right(label, wins);
  return yes / (yes + (1 - prior[label]) * wrong(label, wins));
}

WinCounts count_wins(const BasicMatrix<std::size_t>& wins, const LabelMatrix& candidates,
                     const LabelMatrix& credible, double smoothing) {
  const std::size_t labels = candidates.labels();
  WinCounts out{std::vector<double>(labels), MatrixD(labels, labels), MatrixD(labels, labels)};
  const std::vector<std::size_t> credible_rows = credible.label_counts();
  for (std::size_t j = 0; j < labels; ++j) {
    out.prior[j] = (smoothing + static_cast<double>(credible_rows[j])) /
                   (2 * smoothing + static_cast<double>(candidates.rows()));
    for (std::size_t r = 0; r < labels; ++r) out.right(j, r) = out.wrong(j, r) = smoothing;
    for (std::size_t i = 0; i < candidates.rows(); ++i) {
      if (credible.get(i, j)) ++out.right(j, wins(i, j));
      if (!candidates.get(i, j)) ++out.wrong(j, wins(i, j));
    }
  }
  make_shares(out.right);
  make_shares(out.wrong);
  return out;
}

namespace {

Tensor tensor_of_list(std::string name, std::span<const double> values) {
  Tensor out{std::move(name), {values.size()}, {}};
  for (const double value : values) out.values.push_back(static_cast<float>(value));
  return out;
}

const Tensor& checked_tensor(const ModelState& state, const std::string& name,
                             const std::vector<std::size_t>& shape) {
  const Tensor& tensor = state.tensor(name);
  if (tensor.shape != shape)
    throw Error(Failure::Model, "tensor '" + name + "' of the model has another shape");
  if (!std::ranges::all_of(tensor.values, [](float value) { return std::isfinite(value); }))
    throw Error(Failure::Model, "tensor '" + name + "' of the model holds no finite numbers");
  return tensor;
}

std::vector<double> read_vector(const ModelState& state, const std::string& name,
                                std::size_t size) {
  const Tensor& tensor = checked_tensor(state, name, {size});
  return {tensor.values.begin(), tensor.values.end()};
}

MatrixD read_matrix(const ModelState& state, const std::string& name, std::size_t rows,
                    std::size_t cols) {
  const Tensor& tensor = checked_tensor(state, name, {rows, cols});
  MatrixD out(rows, cols);
  for (std::size_t i = 0; i < rows; ++i)
    std::copy_n(tensor.values.begin() + static_cast<std::ptrdiff_t>(i * cols), cols,
                out.row(i).begin());
  return out;
}

bool has_option(const ModelState& state, const std::string& key, const std::string& value) {
  const auto found = state.options.find(key);
  return found != state.options.end() && found->second == value;
}

}  // namespace

ModelState particle_state(ModelState state, const ParticleParts& parts) {
  state.tensors.push_back(tensor_of("weights", parts.classifiers.weights));
  state.tensors.push_back(tensor_of_list("accuracy", parts.classifiers.accuracy));
  if (parts.counts) {
    state.tensors.push_back(tensor_of_list("prior", parts.counts->prior));
    state.tensors.push_back(tensor_of("wins_right", parts.counts->right));
    state.tensors.push_back(tensor_of("wins_wrong", parts.counts->wrong));
  }
  return state;
}

ParticleModel::ParticleModel(ModelState state)
    : state_(std::move(state)),
      decision_(Decision::read_or(state_, {.threshold = double{std::nextafter(0.5F, 1.0F)}})),
      whole_votes_(has_option(state_, "ceil", "true")) {
  const std::size_t labels = state_.label_names.size();
  if (labels == 0 || state_.scaler.factor.size() != state_.features ||
      state_.scaler.offset.size() != state_.features)
    throw Error(Failure::Model, "the parts of the model do not fit together");
  const bool by_counts = state_.method == "particle-map";
  PairwiseClassifiers& classifiers = parts_.classifiers;
  classifiers.labels = labels;
  const std::size_t count = classifiers.pairs() + (by_counts ? 0 : labels);
  classifiers.weights = read_matrix(state_, "weights", state_.features + 1, count);
  classifiers.accuracy = read_vector(state_, "accuracy", count);
  if (by_counts)
    parts_.counts = WinCounts{read_vector(state_, "prior", labels),
                              read_matrix(state_, "wins_right", labels, labels),
                              read_matrix(state_, "wins_wrong", labels, labels)};
}

void ParticleModel::score_votes(std::span<const double> outputs, std::span<float> scores) const {
  std::vector<double> votes = weighted_votes(parts_.classifiers, outputs);
  if (whole_votes_)
    for (double& count : votes) count = std::ceil(count);
  const auto labels = static_cast<double>(scores.size());
  for (std::size_t j = 0; j < scores.size(); ++j)
    scores[j] = static_cast<float>(0.5 + (votes[j] - votes.back()) / (2 * labels));
}

void ParticleModel::score_wins(std::span<const double> outputs, std::span<float> scores) const {
  const std::vector<std::size_t> wins = pairwise_wins(parts_.classifiers, outputs);
  for (std::size_t j = 0; j < scores.size(); ++j)
    scores[j] = static_cast<float>(parts_.counts->posterior(j, wins[j]));
}

Matrix ParticleModel::scores(const Features& x, ThreadPool& pool) const {
  Matrix out(x.rows(), state_.label_names.size());
  for_each_block(state_, x, [&](std::size_t first, const Features& rows) {
    for_each_output(parts_.classifiers, scaled_rows(rows, state_.scaler), pool,
                    [&](std::size_t row, std::span<const double> outputs) {
                      if (parts_.counts)
                        score_wins(outputs, out.row(first + row));
                      else
                        score_votes(outputs, out.row(first + row));
                    });
  });
  return finite_scores(std::move(out), x);
}

Matrix ParticleModel::candidate_probabilities(const TrainingData& data, ThreadPool& pool) const {
  Matrix out = scores(data.features, pool);
  for (std::size_t i = 0; i < out.rows(); ++i)
    for (std::size_t k = 0; k < out.cols(); ++k)
      if (!data.candidates.get(i, k)) out(i, k) = 0;
  return out;
}

std::unique_ptr<Model> load_particle_model(ModelState state) {
  return std::make_unique<ParticleModel>(std::move(state));
}

// PARTICLE (Fang and Zhang, 2019; Zhang and Fang, 2020): credible labels by propagation, then
// pairwise classifiers, judged by votes against a virtual label (VLS) or by their counts (MAP).

namespace {

struct Settings {
  std::string method;
  std::map<std::string, std::string> options;
  CredibleSettings credible;
  double c = 1, smoothing = 1;
  bool by_counts = false;  // MAP
};

class ParticleLearner final : public Learner {
 public:
  explicit ParticleLearner(Settings settings) : settings_(std::move(settings)) {}

  std::unique_ptr<Model> fit(const TrainingData& given, const FitOptions& fit) const override {
    const TrainingData data = learnable(given);
    require_room(data);
    FitRun run(fit);
    ModelState state = described_state(settings_.method, settings_.options, data, fit);
    state.scaler = fit_input_scaling(data.features, Centring::None).scaler;
    const ScaledRows rows = scaled_rows(data.features, state.scaler);
    run.until(0.2);
    const LabelMatrix credible = credible_labels(rows, data.candidates, settings_.credible,
                                                 fit.seed, run.pool(), run.progress());
    state.notes["credible"] = std::to_string(credible.count()) + " of " +
                              std::to_string(data.candidates.count()) + " candidates";
    run.until(settings_.by_counts ? 0.4 : 1);
    ParticleParts parts{train(rows, data.candidates, credible, run), {}};
    if (settings_.by_counts)
      parts.counts = count_wins(unseen_wins(rows, data.candidates, credible, fit.seed, run),
                                data.candidates, credible, settings_.smoothing);
    return load_particle_model(particle_state(std::move(state), parts));
  }

 private:
  // Every pair of labels has a classifier, with its weights in training and in the model.
  static void require_room(const TrainingData& data) {
    const auto labels = static_cast<double>(data.labels());
    const auto weights = static_cast<double>(data.features.cols() + 1);
    require_memory(
        labels * (labels + 1) / 2 * (24 + weights * (2 * sizeof(double) + sizeof(float))),
        "classifiers for all pairs of " + std::to_string(data.labels()) + " labels",
        "keep fewer labels, or choose a method that looks at one label at a time");
  }
  PairwiseClassifiers train(const ScaledRows& rows, const LabelMatrix& candidates,
                            const LabelMatrix& credible, FitRun& run) const {
    return train_pairwise(rows, candidates, credible,
                          settings_.by_counts ? Virtual::Without : Virtual::With, settings_.c,
                          run.pool(), run.progress());
  }

  // The wins of every row by classifiers of the other folds (none, all zero, for a single row).
  BasicMatrix<std::size_t> unseen_wins(const ScaledRows& rows, const LabelMatrix& candidates,
                                       const LabelMatrix& credible, std::uint64_t seed,
                                       FitRun& run) const {
    BasicMatrix<std::size_t> wins(rows.rows(), candidates.labels());
    if (rows.rows() < 2) return wins;
    const auto folds =
        folds_random(rows.rows(), std::min(settings_.credible.folds, rows.rows()), seed);
    for (std::size_t f = 0; f < folds.size(); ++f) {
      const Split split = split_of_fold(folds, f);
      run.until(0.4 + 0.6 * static_cast<double>(f + 1) / static_cast<double>(folds.size()));
      const PairwiseClassifiers classifiers =
          train(rows.select(split.train), candidates.select_rows(split.train),
                credible.select_rows(split.train), run);
      for_each_output(classifiers, rows.select(split.test), run.pool(),
                      [&](std::size_t i, std::span<const double> outputs) {
                        std::ranges::copy(pairwise_wins(classifiers, outputs),
                                          wins.row(split.test[i]).begin());
                      });
    }
    return wins;
  }

  Settings settings_;
};

std::vector<OptionSpec> shared_options() {
  return {
      integer_option("k", "10", "neighbours of a row", 1, 1000),
      real_option("alpha", "0.95", "how much of a confidence comes from the neighbours", 0, 1),
      real_option("threshold", "0.9", "confidence from which a candidate is credible", 0, 1),
      flag_option("balance", true, "give each label the mass it has among the candidates"),
      real_option("c", "1", "weight of the classifiers' errors", 1e-6, 1e6),
      choice_option("mode", {"paper", "released"},
                    "credible labels by propagation or as the authors' code does", "released"),
  };
}

Settings settings_of(const std::string& method, const Options& options) {
  Settings out{method, options.values(), {}};
  out.credible.k = options.count("k");
  out.credible.alpha = options.real("alpha");
  out.credible.threshold = options.real("threshold");
  out.credible.balance = options.flag("balance");
  out.credible.released = options.text("mode") == "released";
  out.credible.folds = options.count("folds");
  out.c = options.real("c");
  return out;
}

std::unique_ptr<Learner> make_vls(const Options& options) {
  return std::make_unique<ParticleLearner>(settings_of("particle-vls", options));
}

std::unique_ptr<Learner> make_map(const Options& options) {
  Settings settings = settings_of("particle-map", options);
  settings.by_counts = true;
  settings.smoothing = options.real("smoothing");
  return std::make_unique<ParticleLearner>(std::move(settings));
}

OptionSpec folds_option(const std::string& help) {
  return integer_option("folds", "10", help, 2, 100);
}

}  // namespace

MethodInfo particle_vls_method() {
  std::vector<OptionSpec> options = shared_options();
  options.push_back(folds_option("parts of the training rows, mode released only"));
  options.push_back(flag_option("ceil", false, "round votes up to whole ones"));
  return {"particle-vls",
          "PARTICLE-VLS",
          "credible labels by propagation, then pairwise SVMs that vote against a virtual label",
          false,
          std::move(options),
          make_vls,
          load_particle_model};
}

MethodInfo particle_map_method() {
  std::vector<OptionSpec> options = shared_options();
  options.push_back(folds_option("parts of the training rows, each judged by the others"));
  options.push_back(real_option("smoothing", "1", "added to every count", 1e-3, 1e3));
  return {"particle-map",
          "PARTICLE-MAP",
          "credible labels by propagation, then the posterior given the pairs a label wins",
          false,
          std::move(options),
          make_map,
          load_particle_model,
          10};
}

}  // namespace sieve
