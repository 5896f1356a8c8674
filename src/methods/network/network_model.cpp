#include "methods/network/network_model.h"

#include <algorithm>
#include <atomic>
#include <limits>
#include <numeric>

#include "labelsieve/error.h"
#include "methods/network/noise_model.h"
#include "methods/shared/fit_support.h"
#include "nn/functions.h"

namespace sieve {
namespace {

// Few rows, so that their activations stay in a core's cache; of sparse rows more, because taking
// the mean off costs as much as a good number of them. Whole blocks of kBlockRows either way.
constexpr std::size_t kRowsAtOnce = 8 * kBlockRows, kSparseRowsAtOnce = 32 * kBlockRows;
constexpr std::size_t kMostLayers = 16;

std::string layer_name(std::size_t member, std::size_t layer) {
  return "member" + std::to_string(member) + "/layer" + std::to_string(layer);
}

// Weights without their padding: what a file keeps must not depend on how we lay out memory.
void write_layer(const LayerPlace& place, const Array<float>& parameters, const std::string& name,
                 std::vector<Tensor>& tensors) {
  Tensor weights{name + "/weights", {place.inputs, place.outputs}, {}};
  for (std::size_t i = 0; i < place.inputs; ++i) {
    const float* row = parameters.data() + place.weights + i * place.stride;
    weights.values.insert(weights.values.end(), row, row + place.outputs);
  }
  const float* shift = parameters.data() + place.shift;
  tensors.push_back(std::move(weights));
  tensors.push_back({name + "/shift", {place.outputs}, {shift, shift + place.outputs}});
}

void read_layer(const ModelState& state, const std::string& name, const LayerPlace& place,
                Array<float>& parameters) {
  const Tensor& weights = state.tensor(name + "/weights");
  const Tensor& shift = state.tensor(name + "/shift");
  for (std::size_t i = 0; i < place.inputs; ++i)
    std::copy_n(weights.values.data() + i * place.outputs, place.outputs,
                parameters.data() + place.weights + i * place.stride);
  std::ranges::copy(shift.values, parameters.data() + place.shift);
}

// What the hidden layers do with their sums. Models of versions that had one way only do not say
// it.
constexpr const char* kLeakyRelu = "leaky-relu";

void check_activation(const ModelState& state) {
  const std::string activation = state.choices.activation.value_or(kLeakyRelu);
  if (activation != kLeakyRelu)
    throw Error(Failure::Model, "the activation '" + activation + "' is not known", {},
                "use a version of LabelSieve that is at least as new as the model");
}

// The widths of a member's layers, read off its tensors, which are as large as they say: whatever
// is made of these sizes takes about the memory of the file.
MlpSpec spec_of(const ModelState& state, std::size_t member) {
  MlpSpec spec{state.features, {}};
  const auto has = [&](const std::string& name) {
    return std::ranges::any_of(state.tensors, [&](const Tensor& t) { return t.name == name; });
  };
  std::size_t inputs = state.features;
  for (std::size_t l = 0; l < kMostLayers && has(layer_name(member, l) + "/shift"); ++l) {
    const std::vector<std::size_t>& shift = state.tensor(layer_name(member, l) + "/shift").shape;
    if (shift.size() != 1 || shift[0] == 0 ||
        state.tensor(layer_name(member, l) + "/weights").shape != std::vector{inputs, shift[0]})
      throw Error(Failure::Model, "the layers of the model do not fit together");
    spec.layers.push_back({inputs = shift[0]});
  }
  if (spec.layers.empty() || spec.layers.back().width != state.label_names.size())
    throw Error(Failure::Model, "the model does not fit its labels");
  spec.layers.back().activation = Activation::Identity;
  return spec;
}

std::size_t member_count(const ModelState& state) {
  std::size_t count = 0;
  while (std::ranges::any_of(
      state.tensors, [&](const Tensor& t) { return t.name == layer_name(count, 0) + "/shift"; }))
    ++count;
  return count;
}

void add_sigmoids(float weight, const float* x, std::size_t count, float* __restrict sums) {
  for (std::size_t k = 0; k < count; ++k) sums[k] += weight * sigmoid(x[k]);
  // Infinite sums are as little known as those that are no numbers, though their sigmoids are 0, 1.
  if (!all_finite({x, count})) *sums = std::numeric_limits<float>::quiet_NaN();
}

}  // namespace

ModelState network_state(ModelState state, const InputScaling& scaling,
                         const std::vector<std::unique_ptr<Member>>& members) {
  state.scaler = scaling.scaler;
  state.choices.activation = kLeakyRelu;
  state.tensors.push_back({"mean", {scaling.mean.size()}, scaling.mean});
  std::vector<float> rate(members.front()->noise().rate.size());
  for (const auto& member : members)
    for (std::size_t k = 0; k < rate.size(); ++k)
      rate[k] += member->noise().rate[k] / static_cast<float>(members.size());
  state.tensors.push_back({"noise_rate", {rate.size()}, rate});
  for (std::size_t i = 0; i < members.size(); ++i) {
    const auto& places = members[i]->mlp().layers();
    for (std::size_t l = 0; l < places.size(); ++l)
      write_layer(places[l], members[i]->weights(), layer_name(i, l), state.tensors);
  }
  return state;
}

void shift_logits(ModelState& state, float by) {
  for (std::size_t i = 0; i < member_count(state); ++i) {
    const std::string last = layer_name(i, spec_of(state, i).layers.size() - 1) + "/shift";
    for (float& shift : std::ranges::find(state.tensors, last, &Tensor::name)->values) shift += by;
  }
}

NetworkModel::NetworkModel(ModelState state, Matrix held_out_scores)
    : state_(std::move(state)),
      sparse_(works_on_sparse_rows(state_)),
      decision_(Decision::read_or(state_, {})),
      held_out_(std::move(held_out_scores)) {
  check_activation(state_);
  scaling_.scaler = state_.scaler;
  scaling_.mean = state_.tensor("mean").values;
  rate_ = state_.tensor("noise_rate").values;
  const bool fits = scaling_.scaler.factor.size() == state_.features &&
                    scaling_.mean.size() == state_.features &&
                    rate_.size() == state_.label_names.size();
  if (!fits || member_count(state_) == 0)
    throw Error(Failure::Model, "the parts of the model do not fit together");
  for (std::size_t i = 0; i < member_count(state_); ++i) {
    Mlp<float> mlp(spec_of(state_, i));
    Array<float> parameters(mlp.parameter_count());
    for (std::size_t l = 0; l < mlp.layers().size(); ++l)
      read_layer(state_, layer_name(i, l), mlp.layers()[l], parameters);
    predictors_.push_back({std::move(mlp), std::move(parameters)});
  }
}

std::vector<NetworkModel::StoredLayer> NetworkModel::layers(std::size_t member) const {
  std::vector<StoredLayer> layers;
  for (std::size_t l = 0; l < predictors_[member].mlp.layers().size(); ++l) {
    const std::string name = layer_name(member, l);
    layers.push_back({state_.tensor(name + "/weights"), state_.tensor(name + "/shift")});
  }
  return layers;
}

Matrix NetworkModel::scores(const Features& x, ThreadPool& pool) const {
  return mean_scores(predictors_, x, pool);
}

Matrix NetworkModel::member_scores(std::size_t member, const Features& x, ThreadPool& pool) const {
  return mean_scores({&predictors_[member], 1}, x, pool);
}

// Threads take blocks of rows from the front; each has a room of its own.
Matrix NetworkModel::mean_scores(Predictors predictors, const Features& x, ThreadPool& pool) const {
  Matrix out(x.rows(), state_.label_names.size());
  const std::size_t height = sparse_ ? kSparseRowsAtOnce : kRowsAtOnce;
  const std::size_t blocks = std::max<std::size_t>(1, (x.rows() + height - 1) / height);
  std::atomic<std::size_t> next = 0;
  pool.for_each(std::min(pool.size(), blocks), [&](std::size_t) {
    Room room = take_room(predictors, std::min(height, x.rows()));
    for (std::size_t b; (b = next++) < blocks;)
      score_rows(predictors, x, b * height, std::min(x.rows(), (b + 1) * height), pool, room, out);
    if (predictors.size() == predictors_.size()) put_aside(std::move(room));
  });
  return finite_scores(std::move(out), x);
}

void NetworkModel::score_rows(Predictors predictors, const Features& x, std::size_t first,
                              std::size_t last, ThreadPool& pool, Room& room, Matrix& out) const {
  std::vector<std::size_t> places(last - first);
  std::iota(places.begin(), places.end(), std::size_t{0});
  const NetRows block(stored_for(state_, x.slice(first, last)), scaling_);
  const Input<float> input = block.batch(places, room.input);
  const float weight = 1.0F / static_cast<float>(predictors.size());
  for (std::size_t p = 0; p < predictors.size(); ++p) {
    MlpContext<float>& pass = room.passes[p];
    predictors[p].mlp.forward(pool, predictors[p].parameters.data(), input, {}, pass);
    const View<const float> f = pass.output();
    for (std::size_t i = 0; i < f.rows; ++i)
      add_sigmoids(weight, f.row(i), f.cols, out.row(first + i).data());
  }
}

NetworkModel::Room NetworkModel::take_room(Predictors predictors, std::size_t rows) const {
  {
    const std::lock_guard lock(spare_mutex_);
    if (predictors.size() == predictors_.size() && !spare_.empty() && spare_.back().rows >= rows) {
      Room room = std::move(spare_.back());
      spare_.pop_back();
      return room;
    }
  }
  Room room{rows, {}, BatchRoom(sparse_, rows, state_.features)};
  for (const Predictor& predictor : predictors) room.passes.push_back(predictor.mlp.context(rows));
  return room;
}

void NetworkModel::put_aside(Room room) const {
  const std::lock_guard lock(spare_mutex_);
  spare_.push_back(std::move(room));
}

// 1 - Delta* of the mean probability.
Matrix NetworkModel::candidate_probabilities(const TrainingData& data, ThreadPool& pool) const {
  return confidence_of(scores(data.features, pool), rate_, data.candidates);
}

}  // namespace sieve
