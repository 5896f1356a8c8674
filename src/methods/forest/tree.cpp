#include "methods/forest/tree.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>

#include "methods/forest/node.h"

namespace sieve {
namespace {

// A part of an array of rows.
struct Part {
  std::size_t begin = 0, end = 0;
  std::size_t size() const { return end - begin; }
  bool contains(Part other) const { return begin <= other.begin && other.end <= end; }
};

// Nodes in the order in which they were made; the second child follows the first.
struct Grown {
  std::int32_t feature = Tree::kLeaf;
  float threshold = 0;
  std::uint32_t first_child = 0;  // of a leaf: its number
};

constexpr float kNearlyWhole = 1e-4F;
constexpr float kMostWeight = (1U << kMostWeightBits) - 1;

// What makes whole numbers of all weights, none of them more than kMostWeight; else 0.
float whole_scale(std::span<const float> weights) {
  const auto [least, most] = std::ranges::minmax(weights);
  for (float first = 1; first * most <= (kMostWeight + kNearlyWhole) * least; ++first)
    if (std::ranges::all_of(weights, [&, scale = first / least](float weight) {
          return std::abs(weight * scale - std::round(weight * scale)) < kNearlyWhole;
        }))
      return first / least;
  return 0;
}

// How much rows count when splits are compared, in a few bits. Small whole numbers are taken as
// they are, so that splits are those of rows repeated as often; else the largest weight is 15 where
// the mean is then 1 or more; else the mean is 1, and what is larger than 15 counts 15. Leaves go
// by the weights themselves.
std::vector<std::uint8_t> in_few_bits(std::span<const float> weights) {
  std::vector<std::uint8_t> out;
  if (weights.empty()) return out;
  const float whole = whole_scale(weights);
  const float scale = whole > 0 ? whole : std::max(1.0F, kMostWeight / std::ranges::max(weights));
  for (const float weight : weights)
    out.push_back(
        static_cast<std::uint8_t>(std::clamp(std::round(weight * scale), 1.0F, kMostWeight)));
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
        kernels_(split_kernels()),
        features_(x, rules.features_per_split, kernels_),
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
    all_judge_ = rows.size() > kManyRows ? kFewRows : rows.size();
    near_ = {};
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
    NodeFeatures::Known known = node.known;
    Split split;
    if (rows.size() > all_judge_) split = find_split_by_some(rows, known, random);
    if (split.gain <= 0)
      split = find_split(names_of(node.rows), rules_.smallest_leaf, known, random);
    if (split.gain <= 0) return end_in_leaf(node, leaf_of);
    const auto first = static_cast<std::uint32_t>(nodes_.size());
    nodes_[node.node] = {static_cast<std::int32_t>(split.feature),
                         x_.cuts(split.feature)[split.code], first};
    nodes_.resize(nodes_.size() + 2);
    if (near_.contains(node.rows)) divide(names_of(node.rows), best_set_);
    const std::size_t cut = node.rows.begin + divide(rows, best_set_);
    const std::span others = std::span(others_).subspan(node.others.begin, node.others.size());
    mark(others, split, set_);
    const std::size_t other_cut = node.others.begin + divide(others, set_);
    open_.push_back({first + 1U, {cut, node.rows.end}, {other_cut, node.others.end}, known});
    open_.push_back({first, {node.rows.begin, cut}, {node.others.begin, other_cut}, known});
  }

  // The same by a sample of the rows; gain 0 if that does not do. What is constant among some of
  // the rows need not be so below this node.
  Split find_split_by_some(std::span<const std::uint32_t> rows, NodeFeatures::Known known,
                           Random& random) {
    draw_judges(rows, random);
    const std::span<const std::uint32_t> names = x_.has_rows() ? bring_near(judges_) : judges_;
    const std::size_t least =
        std::max<std::size_t>(1, rules_.smallest_leaf * judges_.size() / rows.size());
    const Split split = find_split(names, least, known, random);
    if (split.gain <= 0) return {};
    const std::size_t firsts = mark(rows, split, best_set_);
    return std::min(firsts, rows.size() - firsts) >= rules_.smallest_leaf ? split : Split();
  }

  // What features_ and labels_ call the rows of a node: after a large one, its parts are near.
  std::span<std::uint32_t> names_of(Part part) {
    if (!near_.contains(part)) {
      near_ = {};
      features_.leave_near();
      labels_.leave_near();
      const std::span rows = std::span(rows_).subspan(part.begin, part.size());
      if (part.size() > all_judge_ || rows_.size() <= kManyRows || !x_.has_rows()) return rows;
      bring_near(rows);
      near_ = part;
    }
    return std::span(names_).subspan(part.begin - near_.begin, part.size());
  }

  std::span<std::uint32_t> bring_near(std::span<const std::uint32_t> rows) {
    near_ = {};
    features_.bring_near(rows);
    labels_.bring_near(rows);
    names_.resize(rows.size());
    std::iota(names_.begin(), names_.end(), 0U);
    return names_;
  }

  // One row of each of many equal stretches, by chance: rows may come in an order that repeats.
  void draw_judges(std::span<const std::uint32_t> rows, Random& random) {
    judges_.resize(kJudges);
    for (std::size_t j = 0; j < judges_.size(); ++j) {
      const std::size_t first = j * rows.size() / judges_.size();
      const std::size_t end = (j + 1) * rows.size() / judges_.size();
      judges_[j] = rows[first + ((end - first) * (random.bits() >> 32) >> 32)];
    }
  }

  // `set` becomes the rows that go to the first child. Returns how many they are.
  std::size_t mark(std::span<const std::uint32_t> rows, const Split& split,
                   std::uint64_t* set) const {
    std::size_t firsts = 0;
    for (std::size_t i = 0; i < rows.size(); i += 64) {
      std::uint64_t word = 0;
      for (std::size_t b = 0; b < std::min<std::size_t>(64, rows.size() - i); ++b)
        word |= std::uint64_t{x_.code(rows[i + b], split.feature) <= split.code} << b;
      set[i / 64] = word;
      firsts += static_cast<std::size_t>(std::popcount(word));
    }
    return firsts;
  }

  // The split with the largest gain among those of the features drawn; gain 0 if there is none.
  // best_set_ becomes the rows of the first child, of which there are at least `least`, as of the
  // second.
  Split find_split(std::span<const std::uint32_t> rows, std::size_t least,
                   NodeFeatures::Known& known, Random& random) {
    labels_.read(rows);
    Split best;
    LabelPlanes labels = labels_.planes(least);
    if (rows.size() < 2 * least || labels.count == 0) return best;
    if (x_.is_sparse()) labels.row_words = labels_.row_words(rows);
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
  SplitKernels kernels_;
  NodeFeatures features_;
  std::vector<std::uint8_t> split_weights_;
  NodeLabels labels_;
  std::size_t label_count_;
  std::vector<std::uint32_t> spare_, rows_, others_;
  std::size_t all_judge_ = 0;          // rows of a node, at most, that all have a say in its split
  std::vector<std::uint32_t> judges_;  // where there are more
  Part near_;                          // of rows_, whose codes and labels are near
  std::vector<std::uint32_t> names_;   // of these rows
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
