#include "methods/blend/blend_model.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "labelsieve/error.h"
#include "labelsieve/metrics.h"
#include "methods/blend/weights.h"
#include "methods/methods.h"
#include "methods/neighbours/neighbours_model.h"
#include "methods/network/noise_model.h"
#include "methods/ridge/ridge_model.h"
#include "methods/shared/decision.h"
#include "nn/functions.h"

namespace sieve {
namespace {

constexpr const char *kWeights = "weights", *kRate = "candidate_rate", *kBelieved = "noise_rate";
constexpr const char *kAcross = "across", *kOffset = "offset";

// Of a score that is left where noise explains all of it, so that suspects keep their order.
constexpr float kLeastShare = 1e-3F;

// A tensor of `size` numbers from 0 to 1; Error(Model) if it is not.
const std::vector<float>& shares(const ModelState& state, const char* name, std::size_t size) {
  const Tensor& tensor = state.tensor(name);
  const bool fits = tensor.shape.size() == 1 && tensor.values.size() == size &&
                    std::ranges::all_of(tensor.values, [](float v) { return v >= 0 && v <= 1; });
  if (!fits) throw Error(Failure::Model, "the blend's '" + std::string(name) + "' does not fit it");
  return tensor.values;
}

LabelMix mix_of(const ModelState& state) {
  const std::size_t labels = state.label_names.size();
  const Tensor &across = state.tensor(kAcross), &offset = state.tensor(kOffset);
  if (across.shape != std::vector<std::size_t>{labels, labels} ||
      offset.shape != std::vector<std::size_t>{labels})
    throw Error(Failure::Model, "what the labels of the blend say of each other does not fit them");
  LabelMix mix{Matrix(labels, labels), offset.values};
  for (std::size_t k = 0; k < labels; ++k)
    std::copy_n(across.values.begin() + static_cast<std::ptrdiff_t>(k * labels), labels,
                mix.across.row(k).begin());
  return mix;
}

// The state of a part as its own method wrote it, but for its notes;
// without tensors if there is no such part.
ModelState part_of(const ModelState& blend, const PartKind& kind) {
  const std::string prefix = std::string(kind.name) + "/";
  ModelState part;
  part.method = kind.method().name;
  part.label_names = blend.label_names;
  part.features = blend.features;
  part.scaler = blend.scaler;
  const auto own = blend.part_choices.find(kind.name);
  part.choices = own != blend.part_choices.end() ? own->second : blend.choices;
  for (const Tensor& tensor : blend.tensors)
    if (tensor.name.starts_with(prefix))
      part.tensors.push_back({tensor.name.substr(prefix.size()), tensor.shape, tensor.values});
  return part;
}

}  // namespace

const std::array<PartKind, 6>& part_kinds() {
  static constexpr std::array<PartKind, 6> kinds{{
      {"extra", "forest (extra)", forest_method, 3},
      {"best", "forest (best)", forest_method, 3, ForestSettings::Splits::Best},
      {"networks", "networks", mlp_noise_method},
      {"game", "the game", pml_gan_method},
      {"ridge", "ridge regression", ridge_method},
      {"neighbours", "neighbours", neighbours_method},
  }};
  return kinds;
}

BlendModel::BlendModel(ModelState state, Matrix held_out_scores)
    : state_(std::move(state)), held_out_(std::move(held_out_scores)) {
  for (const PartKind& kind : part_kinds())
    if (ModelState part = part_of(state_, kind); !part.tensors.empty())
      parts_.push_back(kind.method().load(std::move(part)));
  weights_ = shares(state_, kWeights, parts_.size());
  rate_ = shares(state_, kRate, state_.label_names.size());
  believed_ = shares(state_, kBelieved, state_.label_names.size());
  mix_ = mix_of(state_);
  // Blends of earlier versions have none written down: theirs is 1/2.
  decision_ = Decision::read_or(state_, {});
  if (std::abs(std::accumulate(weights_.begin(), weights_.end(), 0.0) - 1) > 1e-3)
    throw Error(Failure::Model, "the weights of the blend do not add up to 1");
}

Matrix BlendModel::scores(const Features& x, ThreadPool& pool) const {
  Matrix sums(x.rows(), state_.label_names.size());
  for (std::size_t m = 0; m < parts_.size(); ++m)
    add_log_odds(parts_[m]->scores(x, pool), weights_[m], pool, sums);
  apply(mix_, pool, sums);
  return finite_scores(probabilities_of(std::move(sums)), x);
}

Matrix BlendModel::candidate_probabilities(const TrainingData& data, ThreadPool& pool) const {
  return probabilities_by(scores(data.features, pool), data.candidates);
}

Matrix BlendModel::held_out_probabilities(const LabelMatrix& candidates) const {
  return probabilities_by(held_out_.clone(), candidates);
}

// How likely a cell is a candidate was learnt well; what of it is noise is another question.
Matrix BlendModel::probabilities_by(Matrix right, const LabelMatrix& candidates) const {
  for (std::size_t i = 0; i < right.rows(); ++i)
    for (std::size_t k = 0; k < right.cols(); ++k) {
      const float candidate = right(i, k) + (1 - right(i, k)) * rate_[k];
      right(i, k) =
          std::max((candidate - believed_[k]) / (1 - believed_[k]), kLeastShare * right(i, k));
    }
  return confidence_of(std::move(right), believed_, candidates);
}

Matrix probabilities_of(Matrix log_odds) {
  for (std::size_t i = 0; i < log_odds.rows(); ++i)
    for (float& f : log_odds.row(i)) f = sigmoid(f);
  return log_odds;
}

void add_part(const PartKind& kind, const ModelState& part, ModelState& blend) {
  const std::string prefix = std::string(kind.name) + "/";
  blend.part_choices[kind.name] = part.choices;
  for (const auto& [name, note] : part.notes) blend.notes[prefix + name] = note;
  for (const Tensor& tensor : part.tensors)
    blend.tensors.push_back({prefix + tensor.name, tensor.shape, tensor.values});
  if (!part.scaler.factor.empty()) blend.scaler = part.scaler;  // all networks have the same
}

void add_sums(BlendSums sums, ModelState& blend) {
  const auto add = [&](const char* name, std::vector<float> values) {
    blend.tensors.push_back({name, {values.size()}, std::move(values)});
  };
  const Matrix& across = sums.mix.across;
  std::vector<float> flat;
  for (std::size_t k = 0; k < across.rows(); ++k)
    flat.insert(flat.end(), across.row(k).begin(), across.row(k).end());
  blend.tensors.push_back({kAcross, {across.rows(), across.cols()}, std::move(flat)});
  add(kOffset, std::move(sums.mix.offset));
  add(kWeights, std::move(sums.weights));
  add(kRate, std::move(sums.rate));
  add(kBelieved, std::move(sums.believed));
  sums.decision.write(blend);
}

}  // namespace sieve
