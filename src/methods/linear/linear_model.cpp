#include "methods/linear/linear_model.h"

#include <algorithm>
#include <cmath>

#include "data/prepare/scaling.h"
#include "labelsieve/error.h"
#include "linalg/dense.h"
#include "linalg/design.h"
#include "methods/shared/decision.h"
#include "methods/shared/fit_support.h"

namespace sieve {
namespace {

bool has_tensor(const ModelState& state, const std::string& name) {
  return std::ranges::find(state.tensors, name, &Tensor::name) != state.tensors.end();
}

// The stored map for features as they come: factors go into the weights, offsets into the
// intercept.
MatrixD read_map(const ModelState& state, const std::string& name) {
  const Tensor& tensor = state.tensor(name);
  const std::size_t features = state.features, labels = state.label_names.size();
  const bool biased = tensor.shape == std::vector{features + 1, labels};
  if ((!biased && tensor.shape != std::vector{features, labels}) || labels == 0 ||
      !std::ranges::all_of(tensor.values, [](float v) { return std::isfinite(v); }))
    throw Error(Failure::Model, "the weights of the model do not fit its features and labels");
  MatrixD map(features + 1, labels);
  const bool scaled = state.scaler.scaling != Scaling::None;
  for (std::size_t j = 0; j < features + (biased ? 1 : 0); ++j) {
    const bool feature = scaled && j < features;
    const double factor = feature ? double{state.scaler.factor[j]} : 1;
    const double offset = feature ? double{state.scaler.offset[j]} : 0;
    for (std::size_t k = 0; k < labels; ++k) {
      const double weight = double{tensor.values[j * labels + k]};
      map(j, k) += factor * weight;
      map(features, k) += offset * weight;
    }
  }
  return map;
}

Matrix mapped(const Features& x, const MatrixD& map, ThreadPool& pool) {
  require_features(x, map.rows() - 1);
  return finite_scores(narrowed(times(Design{x, true}, map, pool)), x);
}

}  // namespace

ModelState linear_state(ModelState state, const LinearParts& parts) {
  state.tensors.push_back(tensor_of("weights", parts.weights));
  if (parts.against) state.tensors.push_back(tensor_of("against", *parts.against));
  parts.decision.write(state);
  parts.confidence.write(state);
  return state;
}

LinearModel::LinearModel(ModelState state) : RealScoreModel(std::move(state)) {
  const std::size_t maps = state_.scaler.scaling == Scaling::None ? 0 : state_.features;
  if (state_.scaler.factor.size() != maps || state_.scaler.offset.size() != maps)
    throw Error(Failure::Model, "the scaling of the model does not fit its features");
  weights_ = read_map(state_, "weights");
  if (!has_tensor(state_, "against")) return;
  evidence_ = weights_.clone();
  add(*evidence_, -1, read_map(state_, "against"));
}

Matrix LinearModel::scores(const Features& x, ThreadPool& pool) const {
  return mapped(x, weights_, pool);
}

Matrix LinearModel::candidate_probabilities(const TrainingData& data, ThreadPool& pool) const {
  return confidence_.of(mapped(data.features, evidence_ ? *evidence_ : weights_, pool),
                        data.candidates);
}

std::unique_ptr<Model> load_linear_model(ModelState state) {
  return std::make_unique<LinearModel>(std::move(state));
}

}  // namespace sieve
