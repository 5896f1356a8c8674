#include "methods/particle/particle_model.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "labelsieve/error.h"
#include "labelsieve/metrics.h"
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

}  // namespace sieve
