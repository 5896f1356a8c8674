#include "methods/forest/tree.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "methods/forest/node.h"

namespace sieve {
namespace {

// A part of an array of rows.
struct Part {
  std::size_t begin = 0, end = 0;
  std::size_t size() const { return end - begin; }
};

// Nodes in the order in which they were made; the second child follows the first.
struct Grown {
  std::int32_t feature = Tree::kLeaf;
  float threshold = 0;
  std::uint32_t first_child = 0;  // of a leaf: its number
};

// How much rows count when splits are compared, in a few bits: the largest weight is 15 where the
// mean is then 1 or more; else the mean is 1, and what is larger than 15 counts 15. Leaves go by
// the weights themselves.
std::vector<std::uint8_t> in_few_bits(std::span<const float> weights) {
  constexpr float kMost = (1U << kMostWeightBits) - 1;
  std::vector<std::uint8_t> out;
  if (weights.empty()) return out;
  const float scale = std::max(1.0F, kMost / std::ranges::max(weights));
  for (const float weight : weights)
    out.push_back(static_cast<std::uint8_t>(std::clamp(std::round(weight * scale), 1.0F, kMost)));
  return out;
}

struct Split {
  double gain = 0;
  std::size_t feature = 0;
  std::uint8_t code = 0;
};

}  // namespace

class TreeGrower::Work {
 public:
  Work(const Binned& x, const Targets& targets, GrowthRules rules)
      : x_(x),
        targets_(targets),
        rules_(rules),
        features_(x, rules.features_per_split),
        kernels_(split_kernels()),
        split_weights_(in_few_bits(targets.weights())),
        labels_(targets.candidates(), split_weights_, kernels_),
        label_count_(targets.labels()),
        spare_(x.rows() + kRowPad),
        sets_(2 * padded_rows(x.rows()) / 64),
        set_(sets_.data()),
        best_set_(sets_.data() + sets_.size() / 2) {}

  Tree grow(std::span<const std::uint32_t> rows, std::span<const std::uint32_t> others,
            Random random, std::span<std::uint32_t> leaf_of) {
    rows_.assign(rows.begin(), rows.end());
    others_.assign(others.begin(), others.end());
    nodes_.assign(1, {});
    shares_.clear();
    features_.begin_tree();
    open_.push_back({0, {0, rows_.size()}, {0, others_.size()}, 0});
    while (!open_.empty()) {
      const Open node = open_.back();
      open_.pop_back();
      work_on(node, random, leaf_of);
    }
    return in_level_order(leaf_of);
  }

 private:
  struct Open {
    std::size_t node;
    Part rows, others;
    NodeFeatures::Known known;
  };

  void work_on(const Open& node, Random& random, std::span<std::uint32_t> leaf_of) {
    const std::span rows = std::span(rows_).subspan(node.rows.begin, node.rows.size());
    labels_.read(rows);
    NodeFeatures::Known known = node.known;
    const Split split = find_split(rows, known, random);
    if (split.gain <= 0) return end_in_leaf(node, leaf_of);
    const auto first = static_cast<std::uint32_t>(nodes_.size());
    nodes_[node.node] = {static_cast<std::int32_t>(split.feature),
                         x_.cuts(split.feature)[split.code], first};
    nodes_.resize(nodes_.size() + 2);
    const std::size_t cut = node.rows.begin + divide(rows, best_set_);
    const std::span others = std::span(others_).subspan(node.others.begin, node.others.size());
    std::fill_n(set_, (others.size() + 63) / 64, 0);
    for (std::size_t i = 0; i < others.size(); ++i) {
      const bool is_first = x_.code(others[i], split.feature) <= split.code;
      set_[i / 64] |= std::uint64_t{is_first} << (i % 64);
    }
    const std::size_t other_cut = node.others.begin + divide(others, set_);
    open_.push_back({first + 1U, {cut, node.rows.end}, {other_cut, node.others.end}, known});
    open_.push_back({first, {node.rows.begin, cut}, {node.others.begin, other_cut}, known});
  }

  // The split with the largest gain among those of the features drawn; gain 0 if there is none.
  // best_set_ becomes the rows of the first child.
  Split find_split(std::span<const std::uint32_t> rows, NodeFeatures::Known& known,
                   Random& random) {
    Split best;
    const LabelPlanes labels = labels_.planes(rules_.smallest_leaf);
    if (rows.size() < 2 * rules_.smallest_leaf || labels.count == 0) return best;
    LabelRows label_rows;
    if (rules_.best_splits) {
      label_rows = labels_.label_rows(rows);
      if (histogram_.size() < 257 * label_rows.lanes) histogram_.resize(257 * label_rows.lanes);
    }
    known = features_.for_each_drawn(
        rows, known, random,
        [&](std::uint32_t feature, const NodeCodes& codes, std::uint32_t number) {
          const Cut cut = rules_.best_splits ? kernels_.best_cut(labels, label_rows, codes,
                                                                 histogram_.data(), set_)
                                             : kernels_.random_cut(labels, codes, number, set_);
          if (cut.gain > best.gain) {
            best = {cut.gain, feature, cut.code};
            std::swap(set_, best_set_);
          }
          return !cut.constant;
        });
    return best;
  }

  // Rows of the set go to the front.
  std::size_t divide(std::span<std::uint32_t> rows, const std::uint64_t* set) {
    const std::size_t firsts = kernels_.divide(rows.data(), rows.size(), set, spare_.data());
    std::copy_n(spare_.data(), rows.size() - firsts, rows.data() + firsts);
    return firsts;
  }

  void end_in_leaf(const Open& node, std::span<std::uint32_t> leaf_of) {
    const auto leaf = static_cast<std::uint32_t>(shares_.size() / label_count_);
    nodes_[node.node].first_child = leaf;
    if (targets_.are_probabilities() || !targets_.weights().empty())
      write_mean_targets(std::span(rows_).subspan(node.rows.begin, node.rows.size()));
    else
      labels_.write_shares(shares_);
    for (std::size_t i = node.others.begin; i < node.others.end; ++i) leaf_of[others_[i]] = leaf;
  }

  void write_mean_targets(std::span<const std::uint32_t> rows) {
    std::vector<double> sums(label_count_);
    double all = 0;
    for (const std::uint32_t i : rows) {
      const double weight = double{targets_.weight(i)};
      all += weight;
      targets_.for_each(i,
                        [&](std::size_t k, float target) { sums[k] += weight * double{target}; });
    }
    for (const double sum : sums) shares_.push_back(static_cast<float>(sum / all));
  }

  Tree in_level_order(std::span<std::uint32_t> leaf_of) const {
    Tree tree;
    tree.features.reserve(nodes_.size());
    tree.thresholds.reserve(nodes_.size());
    tree.shares.reserve(shares_.size());
    std::vector<std::uint32_t> order{0}, new_leaf(shares_.size() / label_count_);
    order.reserve(nodes_.size());
    std::uint32_t leaves = 0;
    for (std::size_t k = 0; k < order.size(); ++k) {
      const Grown& node = nodes_[order[k]];
      tree.features.push_back(node.feature);
      tree.thresholds.push_back(node.threshold);
      if (node.feature == Tree::kLeaf) {
        const auto from =
            shares_.begin() + static_cast<std::ptrdiff_t>(node.first_child * label_count_);
        tree.shares.insert(tree.shares.end(), from,
                           from + static_cast<std::ptrdiff_t>(label_count_));
        new_leaf[node.first_child] = leaves++;
      } else {
        order.push_back(node.first_child);
        order.push_back(node.first_child + 1);
      }
    }
    for (const std::uint32_t row : others_) leaf_of[row] = new_leaf[leaf_of[row]];
    return tree;
  }

  const Binned& x_;
  Targets targets_;
  GrowthRules rules_;
  NodeFeatures features_;
  SplitKernels kernels_;
  std::vector<std::uint8_t> split_weights_;
  NodeLabels labels_;
  std::size_t label_count_;
  std::vector<std::uint32_t> spare_, rows_, others_;
  std::vector<Grown> nodes_;
  std::vector<float> shares_;
  std::vector<Open> open_;
  Array<std::uint64_t> sets_;
  std::uint64_t *set_, *best_set_;
  Array<std::uint32_t> histogram_;
};

TreeGrower::TreeGrower(const Binned& x, const Targets& targets, GrowthRules rules)
    : work_(std::make_unique<Work>(x, targets, rules)) {}

TreeGrower::~TreeGrower() = default;

Tree TreeGrower::grow(std::span<const std::uint32_t> rows, std::span<const std::uint32_t> others,
                      Random random, std::span<std::uint32_t> leaf_of) {
  return work_->grow(rows, others, random, leaf_of);
}

}  // namespace sieve
