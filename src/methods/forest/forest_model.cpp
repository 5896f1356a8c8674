#include "methods/forest/forest_model.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "labelsieve/error.h"
#include "methods/shared/decision.h"

namespace sieve {
namespace {

constexpr double kRoomForLeaves = 512e6;  // bytes
constexpr double kInBootstrap = 0.632;    // of the rows are in a bootstrap sample
constexpr std::size_t kFewRows = 1000;

// Rows that share room for their codes: many, because each block has to fetch all trees, and few
// enough that every thread has some.
std::size_t rows_at_once(std::size_t rows, std::size_t threads) {
  return std::clamp<std::size_t>(rows / (2 * threads) / kGroupRows * kGroupRows, 4 * kGroupRows,
                                 32 * kGroupRows);
}

const std::vector<float>& vector_of(const ModelState& state, const std::string& name,
                                    std::size_t size, float low, float high) {
  const Tensor& tensor = state.tensor(name);
  if (tensor.shape.size() != 1 || tensor.values.size() != size) refuse_trees("'" + name + "'");
  if (!std::ranges::all_of(tensor.values, [&](float v) { return v >= low && v <= high; }))
    refuse_trees("'" + name + "'");
  return tensor.values;
}

}  // namespace

float ForestRates::right(float candidate, std::size_t label) const {
  const float right = (candidate - noise[label]) / (1 - noise[label]);
  return std::clamp(std::max(right, kBelowNoise * candidate), kSure, 1 - kSure);
}

float ForestRates::candidate(float right, std::size_t label) const {
  return std::min({noise[label] + (1 - noise[label]) * right, right / kBelowNoise, 1.0F});
}

void ForestRates::make_right(Matrix& candidate) const {
  for (std::size_t i = 0; i < candidate.rows(); ++i)
    for (std::size_t k = 0; k < candidate.cols(); ++k) candidate(i, k) = right(candidate(i, k), k);
}

ModelState forest_state(ModelState state, std::vector<Tree> trees, const ForestRates& rates,
                        const Decision& decision) {
  const std::size_t labels = rates.frequency.size();
  std::size_t nodes = 0, shares = 0;
  for (const Tree& tree : trees) nodes += tree.features.size(), shares += tree.shares.size();
  Tensor counts{"trees", {trees.size()}, {}}, features{"features", {nodes}, {}},
      thresholds{"thresholds", {nodes}, {}}, leaves{"leaves", {shares / labels, labels}, {}};
  features.values.reserve(nodes);
  thresholds.values.reserve(nodes);
  leaves.values.reserve(shares);
  for (Tree& tree : trees) {
    counts.values.push_back(static_cast<float>(tree.features.size()));
    for (const std::int32_t feature : tree.features)
      features.values.push_back(static_cast<float>(feature));
    thresholds.values.insert(thresholds.values.end(), tree.thresholds.begin(),
                             tree.thresholds.end());
    leaves.values.insert(leaves.values.end(), tree.shares.begin(), tree.shares.end());
    tree = {};
  }
  state.tensors = {std::move(counts),
                   std::move(features),
                   std::move(thresholds),
                   std::move(leaves),
                   {"frequency", {labels}, rates.frequency},
                   {"noise_rate", {labels}, rates.noise}};
  decision.write(state);
  return state;
}

ForestModel::ForestModel(ModelState state, Matrix held_out_scores)
    : state_(std::move(state)),
      decision_(Decision::read(state_)),
      held_out_(std::move(held_out_scores)) {
  const std::size_t labels = state_.label_names.size();
  rates_.frequency = vector_of(state_, "frequency", labels, 0, 1);
  rates_.noise = vector_of(state_, "noise_rate", labels, 0, 0.99F);
  const Tensor &trees = state_.tensor("trees"), &features = state_.tensor("features"),
               &leaves = state_.tensor("leaves");
  const float most = std::numeric_limits<float>::max();
  vector_of(state_, "thresholds", features.values.size(), -most, most);
  if (trees.values.empty() || leaves.shape.size() != 2 || leaves.shape[1] != labels)
    refuse_trees("'trees' or 'leaves'");
  if (!std::ranges::all_of(leaves.values, [](float v) { return v >= 0 && v <= 1; }))
    refuse_trees("'leaves'");
  walks_.emplace(state_);
}

void ForestModel::add_held_out_candidates(float part, Matrix& sums) const {
  for (std::size_t i = 0; i < held_out_.rows(); ++i)
    for (std::size_t k = 0; k < held_out_.cols(); ++k)
      sums(i, k) += part * rates_.candidate(held_out_(i, k), k);
}

void ForestModel::set_noise(const std::vector<float>& noise) {
  Matrix candidates(held_out_.rows(), held_out_.cols());
  add_held_out_candidates(1, candidates);
  rates_.noise = noise;
  rates_.make_right(candidates);
  held_out_ = std::move(candidates);
  std::ranges::find(state_.tensors, "noise_rate", &Tensor::name)->values = noise;
}

Matrix ForestModel::scores(const Features& x, ThreadPool& pool) const {
  if (x.cols() != state_.features)
    throw Error(Failure::Data, "the rows have " + std::to_string(x.cols()) +
                                   " features, the model was trained on " +
                                   std::to_string(state_.features));
  const std::size_t labels = rates_.noise.size(), stride = sum_stride(labels);
  Matrix out(x.rows(), labels);
  const float trees = static_cast<float>(walks_->trees()) + 1;
  const std::size_t some = rows_at_once(x.rows(), pool.size());
  pool.for_blocks(x.rows(), some, [&](std::size_t begin, std::size_t end) {
    Walks::Room room(*walks_, x, end - begin);
    std::vector<float> sums;
    for (std::size_t first = begin; first < end; first += room.rows()) {
      const std::size_t last = std::min(end, first + room.rows());
      sums.assign((last - first) * stride, 0);
      walks_->add(x, first, last, room, sums.data());
      for (std::size_t i = first; i < last; ++i)
        for (std::size_t k = 0; k < labels; ++k)
          out(i, k) =
              rates_.right((sums[(i - first) * stride + k] + rates_.frequency[k]) / trees, k);
    }
  });
  return finite_scores(std::move(out), x);
}

Matrix ForestModel::candidate_probabilities(const TrainingData& data, ThreadPool& pool) const {
  return confidence_of(scores(data.features, pool), rates_.noise, data.candidates);
}

bool are_few(std::size_t rows) {
  return rows >= 5 && rows <= kFewRows;
}

LeafMemory::LeafMemory(const TrainingData& data, bool bootstrap)
    : rows_(static_cast<double>(data.rows()) *
            (bootstrap && !are_few(data.rows()) ? kInBootstrap : 1)),
      leaf_bytes_(4.0 * static_cast<double>(data.labels()) + 60) {}

std::size_t LeafMemory::least_leaf(std::size_t trees) const {
  return static_cast<std::size_t>(std::max(1.0, std::ceil(bytes(trees, 1) / kRoomForLeaves)));
}

}  // namespace sieve
