#include "methods/forest/forest_model.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "labelsieve/error.h"
#include "linalg/entries.h"

namespace sieve {
namespace {

constexpr std::size_t kRowsAtOnce = 512;        // a tree stays in the cache while they go by
constexpr std::size_t kRowsInStep = 8;          // enough to hide how long memory takes
constexpr std::size_t kRoomForRows = 1U << 20;  // bytes, unless they are too wide
constexpr std::size_t kSparseRows = 1024;       // share room for their numbers

[[noreturn]] void refuse(const std::string& what) {
  throw Error(Failure::Model, "the trees of the model do not fit together: " + what);
}

const std::vector<float>& vector_of(const ModelState& state, const std::string& name,
                                    std::size_t size, float low, float high) {
  const Tensor& tensor = state.tensor(name);
  if (tensor.shape.size() != 1 || tensor.values.size() != size) refuse("'" + name + "'");
  if (!std::ranges::all_of(tensor.values, [&](float v) { return v >= low && v <= high; }))
    refuse("'" + name + "'");
  return tensor.values;
}

// Numbers are added in fours; what stands beside those of a leaf is added to sums nobody looks at.
using Four [[gnu::vector_size(16), gnu::aligned(4), gnu::may_alias]] = float;

std::size_t padded(std::size_t labels) {
  return (labels + 3) / 4 * 4;
}

void add(const float* from, std::size_t count, float* to) {
  std::size_t k = 0;
  for (; k + 4 <= count; k += 4)
    *reinterpret_cast<Four*>(to + k) += *reinterpret_cast<const Four*>(from + k);
  for (; k < count; ++k) to[k] += from[k];
}

// The leaves that kRowsInStep descents end at, side by side: node(r, at) is a node of the r-th, and
// value(r, node) the feature it asks for.
template <class NodeAt, class Value>
std::array<std::uint32_t, kRowsInStep> descend(const NodeAt& node_at, const Value& value) {
  std::uint32_t at[kRowsInStep] = {}, moved = 1;
  while (moved != 0) {
    // Whether all are there is asked now and then: a descent that is stays.
    for (std::size_t level = 0; level < 3; ++level) {
      moved = 0;
#pragma GCC unroll 8
      for (std::size_t r = 0; r < kRowsInStep; ++r) {
        const auto& node = node_at(r, at[r]);
        const bool second = value(r, node) > node.threshold;
        const std::uint32_t next = node.first_child + (second ? 1U : 0U);
        moved |= next ^ at[r];
        at[r] = next;
      }
    }
  }
  std::array<std::uint32_t, kRowsInStep> leaf;
  for (std::size_t r = 0; r < kRowsInStep; ++r) leaf[r] = node_at(r, at[r]).leaf;
  return leaf;
}

std::size_t whole_number(float value, std::size_t below) {
  if (!(value >= 0 && value < static_cast<float>(below)) || value != std::floor(value))
    refuse("a number is not whole or too large");
  return static_cast<std::size_t>(value);
}

}  // namespace

float ForestRates::right(float candidate, std::size_t label) const {
  const float right = (candidate - noise[label]) / (1 - noise[label]);
  return std::clamp(std::max(right, kBelowNoise * candidate), kSure, 1 - kSure);
}

void ForestRates::make_right(Matrix& candidate) const {
  for (std::size_t i = 0; i < candidate.rows(); ++i)
    for (std::size_t k = 0; k < candidate.cols(); ++k) candidate(i, k) = right(candidate(i, k), k);
}

ModelState forest_state(ModelState state, std::vector<Tree> trees, const ForestRates& rates) {
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
  Decision{}.write(state);
  return state;
}

ForestModel::ForestModel(ModelState state, Matrix unseen_scores)
    : state_(std::move(state)),
      labels_(state_.label_names.size()),
      decision_(Decision::read(state_)),
      unseen_(std::move(unseen_scores)) {
  rates_.frequency = vector_of(state_, "frequency", labels_, 0, 1);
  rates_.noise = vector_of(state_, "noise_rate", labels_, 0, 0.99F);
  const Tensor &trees = state_.tensor("trees"), &features = state_.tensor("features"),
               &leaves = state_.tensor("leaves");
  const float most = std::numeric_limits<float>::max();
  vector_of(state_, "thresholds", features.values.size(), -most, most);
  if (trees.values.empty() || leaves.shape.size() != 2 || leaves.shape[1] != labels_)
    refuse("'trees' or 'leaves'");
  if (!std::ranges::all_of(leaves.values, [](float v) { return v >= 0 && v <= 1; }))
    refuse("'leaves'");
  shares_ = leaves.values;
  read_trees();
}

void ForestModel::read_trees() {
  const std::size_t nodes = state_.tensor("features").values.size();
  std::size_t leaves = 0;
  nodes_.reserve(nodes);
  for (const float count : state_.tensor("trees").values) {
    roots_.push_back(nodes_.size());
    read_tree(whole_number(count, nodes + 1 - nodes_.size()), leaves);
  }
  if (nodes_.size() != nodes || leaves != state_.tensor("leaves").shape[0])
    refuse("the numbers of nodes and leaves");
}

// Children come after their parent, so there is no way round in circles.
void ForestModel::read_tree(std::size_t count, std::size_t& leaves) {
  const float* features = state_.tensor("features").values.data() + nodes_.size();
  const float* thresholds = state_.tensor("thresholds").values.data() + nodes_.size();
  std::uint32_t children = 1;
  for (std::uint32_t i = 0; i < count; ++i) {
    if (features[i] == static_cast<float>(Tree::kLeaf)) {
      const float out_of_reach = std::numeric_limits<float>::infinity();
      nodes_.push_back({out_of_reach, 0, i, static_cast<std::uint32_t>(leaves++)});
    } else {
      const std::size_t feature = whole_number(features[i], state_.features);
      nodes_.push_back(
          {thresholds[i], static_cast<std::uint32_t>(feature * kRowsInStep), children, 0});
      children += 2;
    }
    if (children <= i) refuse("a node that no other leads to");
  }
  if (count == 0 || children != count) refuse("the number of nodes of a tree");
}

void ForestModel::add_leaf(std::uint32_t leaf, float* sums) const {
  const std::size_t from = leaf * labels_, stride = padded(labels_);
  add(shares_.data() + from, from + stride <= shares_.size() ? stride : labels_, sums);
}

// Many rows: through one tree after the other, kRowsInStep rows at a time.
void ForestModel::add_rows(const Matrix& x, std::size_t rows, float* sums) const {
  std::array<std::uint32_t, kRowsAtOnce> leaf;
  for (const std::size_t root : roots_) {
    const Node* tree = nodes_.data() + root;
    for (std::size_t i = 0; i < rows; i += kRowsInStep) {
      const float* values = x.row(i / kRowsInStep).data();
      const auto found =
          descend([tree](std::size_t, std::uint32_t at) -> const Node& { return tree[at]; },
                  [values](std::size_t r, const Node& node) { return values[node.feature + r]; });
      std::ranges::copy(found, leaf.begin() + static_cast<std::ptrdiff_t>(i));
      for (const std::uint32_t one : found) __builtin_prefetch(shares_.data() + one * labels_);
    }
    for (std::size_t i = 0; i < rows; ++i) add_leaf(leaf[i], sums + i * padded(labels_));
  }
}

// One row: through kRowsInStep trees at a time. The leaves are added in the same order.
void ForestModel::add_row(const float* values, float* sums) const {
  for (std::size_t t = 0; t < roots_.size(); t += kRowsInStep) {
    const std::size_t last = roots_.size() - 1;
    const auto found = descend(
        [&](std::size_t r, std::uint32_t at) -> const Node& {
          return nodes_[roots_[std::min(t + r, last)] + at];
        },
        [&](std::size_t, const Node& node) { return values[node.feature]; });
    for (std::size_t r = 0; r < kRowsInStep && t + r <= last; ++r) add_leaf(found[r], sums);
  }
}

// Rows [first, last), which are in `x` kRowsInStep after kRowsInStep: row r of them has the feature
// of a node at x[feature + r].
void ForestModel::score(const Matrix& x, std::size_t first, std::size_t last, Matrix& out) const {
  const std::size_t stride = padded(labels_);
  std::vector<float> sums((last - first) * stride);
  if (last - first == 1)
    add_row(x.row(0).data(), sums.data());
  else
    add_rows(x, last - first, sums.data());
  const float trees = static_cast<float>(roots_.size()) + 1;
  for (std::size_t i = first; i < last; ++i)
    for (std::size_t k = 0; k < labels_; ++k)
      out(i, k) = rates_.right((sums[(i - first) * stride + k] + rates_.frequency[k]) / trees, k);
}

Matrix ForestModel::scores(const Features& x, ThreadPool& pool) const {
  if (x.cols() != state_.features)
    throw Error(Failure::Data, "the rows have " + std::to_string(x.cols()) +
                                   " features, the model was trained on " +
                                   std::to_string(state_.features));
  Matrix out(x.rows(), labels_);
  const std::size_t wanted = (std::min(x.rows(), kRowsAtOnce) + kRowsInStep - 1) / kRowsInStep;
  const std::size_t height = std::clamp(kRoomForRows / (sizeof(float) * x.cols()) / kRowsInStep,
                                        std::size_t{1}, std::max(wanted, std::size_t{1})) *
                             kRowsInStep;
  pool.for_blocks(
      x.rows(), x.is_sparse() ? kSparseRows : height, [&](std::size_t begin, std::size_t end) {
        Matrix turned(height / kRowsInStep, kRowsInStep * x.cols());
        for (std::size_t first = begin; first < end; first += height) {
          const std::size_t last = std::min(end, first + height);
          for (std::size_t i = first; i < last; ++i)
            for_each_entry(x, i, [&](std::size_t j, float value) {
              turned((i - first) / kRowsInStep, j * kRowsInStep + (i - first) % kRowsInStep) =
                  value;
            });
          score(turned, first, last, out);
          if (!x.is_sparse()) continue;  // the next rows have all entries
          for (std::size_t i = first; i < last; ++i)
            for_each_entry(x, i, [&](std::size_t j, float) {
              turned((i - first) / kRowsInStep, j * kRowsInStep + (i - first) % kRowsInStep) = 0;
            });
        }
      });
  return out;
}

Matrix ForestModel::confidence(const TrainingData& data, ThreadPool& pool) const {
  return confidence_of(scores(data.features, pool), rates_.noise, data.candidates);
}

}  // namespace sieve
