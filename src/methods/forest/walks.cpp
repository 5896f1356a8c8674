#include "methods/forest/walks.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <numeric>

#include "labelsieve/error.h"
#include "linalg/entries.h"
#include "methods/forest/binned.h"
#include "methods/forest/tree.h"

namespace sieve {
namespace {

constexpr std::size_t kMostGroups = 32;          // a tree stays in the cache while they go by
constexpr std::size_t kRoomForCodes = 1U << 20;  // bytes, unless one group needs more
constexpr std::size_t kLevelsAtOnce = 2;
constexpr std::size_t kAlone = 4;  // so few rows are not worth walking together

std::size_t whole_number(float value, std::size_t below) {
  if (!(value >= 0 && value < static_cast<float>(below)) || value != std::floor(value))
    refuse_trees("a number is not whole or too large");
  return static_cast<std::size_t>(value);
}

// Goes on from the nodes `at` until all are leaves: node(w, at) is a node of walk w, and
// code(w, place) the code it asks for. Walks go on side by side, a few levels at a time: that hides
// how long memory takes, and there is little to guess wrong.
template <class NodeAt, class Code>
void walk_on(std::span<std::uint32_t> at, const NodeAt& node, const Code& code) {
  std::uint64_t open = ~std::uint64_t{0} >> (kGroupRows - at.size());
  while (open != 0) {
    std::uint64_t still = 0;
    for (; open != 0; open &= open - 1) {
      const auto walk = static_cast<std::size_t>(std::countr_zero(open));
      std::uint32_t now = at[walk];
      for (std::size_t level = 0; level < kLevelsAtOnce; ++level) {
        const WalkNode here = node(walk, now);
        now = here.next() + (code(walk, here.place()) > here.code() ? 1U : 0U);
      }
      at[walk] = now;
      still |= std::uint64_t{!node(walk, now).is_leaf()} << walk;
    }
    open = still;
  }
}

}  // namespace

void refuse_trees(const std::string& what) {
  throw Error(Failure::Model, "the trees of the model do not fit together: " + what);
}

Walks::Walks(const ModelState& state)
    : shares_{state.tensor("leaves").values, state.label_names.size()} {
  if (state.features == 0 || state.features >= Tree::kMostFeatures)
    refuse_trees("there are " + std::to_string(state.features) + " features");
  const Nodes nodes{state.tensor("features").values, state.tensor("thresholds").values};
  make_columns(nodes, state.features);
  nodes_.reserve(nodes.features.size());
  for (const float count : state.tensor("trees").values) {
    roots_.push_back(nodes_.size());
    read_tree(nodes, whole_number(count, nodes.features.size() + 1 - nodes_.size()));
  }
  const std::size_t leaves = leaves_.empty() ? 0 : leaves_.back() + 1U;
  if (nodes_.size() != nodes.features.size() || leaves != state.tensor("leaves").shape[0])
    refuse_trees("the numbers of nodes and leaves");
  first_nodes_.resize(trees() * kFirstNodes);
  first_ends_.resize(trees() * (kFirstNodes + 1));
  for (std::size_t t = 0; t < trees(); ++t) copy_first_levels(t, 0, 0);
}

// The thresholds of each feature, without repeats.
void Walks::make_columns(const Nodes& nodes, std::size_t features) {
  std::vector<std::uint32_t> ends(features + 1);
  for (const float feature : nodes.features)
    if (feature != static_cast<float>(Tree::kLeaf)) ++ends[whole_number(feature, features) + 1];
  std::partial_sum(ends.begin(), ends.end(), ends.begin());
  std::vector<float> thresholds(ends.back());
  for (std::size_t n = 0; n < nodes.features.size(); ++n)
    if (nodes.features[n] != static_cast<float>(Tree::kLeaf))
      thresholds[ends[static_cast<std::size_t>(nodes.features[n])]++] = nodes.thresholds[n];
  std::vector<std::uint32_t> room;
  first_columns_.push_back(0);
  for (std::size_t j = 0, first = 0; j < features; first = ends[j++]) {
    std::span<float> cuts = std::span(thresholds).subspan(first, ends[j] - first);
    sort_floats(cuts, room);
    cuts =
        cuts.first(static_cast<std::size_t>(std::unique(cuts.begin(), cuts.end()) - cuts.begin()));
    for (; !cuts.empty(); cuts = cuts.subspan(std::min(cuts.size(), Cuts::kMost))) {
      cuts_.add(cuts.first(std::min(cuts.size(), Cuts::kMost)));
      column_features_.push_back(static_cast<std::uint32_t>(j));
    }
    first_columns_.push_back(static_cast<std::uint32_t>(columns()));
  }
  if (columns() >= WalkNode::kMostColumns) refuse_trees("more thresholds than fit");
}

// Of the columns of a feature, the first that reaches as far as the threshold has it.
WalkNode Walks::split(std::size_t feature, float threshold, std::uint32_t next) const {
  std::uint32_t column = first_columns_[feature], end = first_columns_[feature + 1];
  while (end - column > 1) {
    const std::uint32_t middle = column + (end - column) / 2;
    (cuts_.of(middle - 1).back() < threshold ? column : end) = middle;
  }
  return {column, cuts_.code(column, threshold), next};
}

// Children come after their parent, so there is no way round in circles.
void Walks::read_tree(const Nodes& nodes, std::size_t count) {
  const std::size_t root = nodes_.size();
  std::uint32_t children = 1, number = leaves_.empty() ? 0 : leaves_.back() + 1;
  for (std::uint32_t i = 0; i < count; ++i) {
    leaves_.push_back(number);
    const float feature = nodes.features[root + i];
    if (feature == static_cast<float>(Tree::kLeaf)) {
      nodes_.push_back(WalkNode::leaf(i));
      ++number;
    } else {
      nodes_.push_back(
          split(static_cast<std::size_t>(feature), nodes.thresholds[root + i], children));
      children += 2;
    }
    if (children <= i) refuse_trees("a node that no other leads to");
  }
  if (count == 0 || children != count) refuse_trees("the number of nodes of a tree");
}

// Below a leaf, all questions lead to it.
void Walks::copy_first_levels(std::size_t tree, std::size_t node, std::size_t at) {
  if (at >= kFirstNodes) {
    first_ends_[tree * (kFirstNodes + 1) + at - kFirstNodes] = static_cast<std::uint32_t>(node);
    return;
  }
  const WalkNode here = nodes_[roots_[tree] + node];
  first_nodes_[tree * kFirstNodes + at] = here;
  copy_first_levels(tree, here.next(), 2 * at + 1);
  copy_first_levels(tree, here.next() == node ? node : here.next() + 1, 2 * at + 2);
}

// What sparse rows do not store is 0; dense ones store everything.
Walks::Room::Room(const Walks& walks, const Features& x, std::size_t rows) {
  const std::size_t columns = std::max<std::size_t>(1, walks.columns());
  const std::size_t fit = std::max<std::size_t>(1, kRoomForCodes / (columns * kGroupRows));
  groups_ = std::min({(rows + kGroupRows - 1) / kGroupRows, fit, kMostGroups});
  codes_.resize(groups_ * columns * kGroupRows);
  for (std::size_t c = 0; x.is_sparse() && c < walks.columns(); ++c) {
    const std::uint8_t zero = walks.cuts_.code(c, 0);
    for (std::size_t g = 0; g < groups_; ++g)
      std::fill_n(walks.codes_of(*this, g, c), kGroupRows, zero);
  }
}

// Calls visit(column, value) for the columns of a sparse row's entries.
template <class Visit>
void Walks::for_each_column(const Features& x, std::size_t row, const Visit& visit) const {
  for_each_entry(x, row, [&](std::size_t j, float value) {
    for (std::size_t c = first_columns_[j]; c < first_columns_[j + 1]; ++c) visit(c, value);
  });
}

void Walks::read(const Features& x, std::size_t first, std::size_t last, Room& room) const {
  if (x.is_sparse()) {
    for (std::size_t i = first; i < last; ++i)
      for_each_column(x, i, [&](std::size_t c, float value) {
        codes_of(room, (i - first) / kGroupRows, c)[(i - first) % kGroupRows] =
            cuts_.code(c, value);
      });
    return;
  }
  for (std::size_t i = first, g = 0; i < last; i += kGroupRows, ++g) {
    const RowGroup group(x, i, std::min(last, i + kGroupRows));
    for (std::size_t c = 0; c < columns(); ++c)
      cuts_.codes(c, group.rows(), column_features_[c], codes_of(room, g, c));
  }
}

// Of sparse rows; all entries of dense ones will be overwritten.
void Walks::forget(const Features& x, std::size_t first, std::size_t last, Room& room) const {
  if (!x.is_sparse()) return;
  for (std::size_t i = first; i < last; ++i)
    for_each_column(x, i, [&](std::size_t c, float) {
      codes_of(room, (i - first) / kGroupRows, c)[(i - first) % kGroupRows] = cuts_.code(c, 0);
    });
}

void Walks::walk_together(std::size_t tree, const std::uint8_t* codes, std::size_t rows,
                          std::uint32_t* leaf_of) const {
  std::array<std::uint8_t, kGroupRows> paths;
  kernels_.first_levels(first_nodes_.data() + tree * kFirstNodes, codes, paths.data());
  const std::uint32_t* ends = first_ends_.data() + tree * (kFirstNodes + 1);
  const WalkNode* nodes = nodes_.data() + roots_[tree];
  const std::uint32_t* leaves = leaves_.data() + roots_[tree];
  for (std::size_t i = 0; i < rows; ++i) leaf_of[i] = ends[paths[i]];
  walk_on(
      {leaf_of, rows}, [nodes](std::size_t, std::uint32_t at) { return nodes[at]; },
      [codes](std::size_t i, std::size_t place) { return codes[place + i]; });
  for (std::size_t i = 0; i < rows; ++i) {
    leaf_of[i] = leaves[leaf_of[i]];
    __builtin_prefetch(shares_.shares.data() + leaf_of[i] * shares_.labels);
  }
}

// One row, through kGroupRows trees at a time.
void Walks::walk_alone(const std::uint8_t* codes, float* sums) const {
  for (std::size_t t = 0; t < trees(); t += kGroupRows) {
    const std::size_t* roots = roots_.data() + t;
    std::array<std::uint32_t, kGroupRows> at{};
    const std::span some = std::span(at).first(std::min(kGroupRows, trees() - t));
    walk_on(
        some, [&](std::size_t w, std::uint32_t n) { return nodes_[roots[w] + n]; },
        [codes](std::size_t, std::size_t place) { return codes[place]; });
    for (std::size_t w = 0; w < some.size(); ++w)
      kernels_.add_leaves(shares_, {&leaves_[roots[w] + at[w]], 1}, sums);
  }
}

// The leaves are added in the same order either way.
void Walks::add(const Features& x, std::size_t first, std::size_t last, Room& room,
                float* sums) const {
  read(x, first, last, room);
  const std::size_t rows = last - first, stride = sum_stride(shares_.labels);
  if (rows <= kAlone) {
    for (std::size_t i = 0; i < rows; ++i) walk_alone(codes_of(room, 0, 0) + i, sums + i * stride);
  } else {
    std::array<std::uint32_t, kGroupRows> leaf_of;
    for (std::size_t t = 0; t < trees(); ++t)
      for (std::size_t i = 0; i < rows; i += kGroupRows) {
        const std::size_t some = std::min(kGroupRows, rows - i);
        walk_together(t, codes_of(room, i / kGroupRows, 0), some, leaf_of.data());
        kernels_.add_leaves(shares_, {leaf_of.data(), some}, sums + i * stride);
      }
  }
  forget(x, first, last, room);
}

}  // namespace sieve
