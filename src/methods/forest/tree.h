#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/random.h"
#include "labelsieve/labels.h"
#include "methods/forest/binned.h"
#include "methods/shared/targets.h"

namespace sieve {

// A tree in level order: node 0 is the root, and the children of the k-th node that is split (from
// 0) are nodes 2k + 1 and 2k + 2. A row goes to the first where its feature is at most the
// threshold.
struct Tree {
  static constexpr std::int32_t kLeaf = -1;
  static constexpr std::size_t kMostFeatures = std::size_t{1} << 24;  // a file counts in float32
  std::vector<std::int32_t> features;                                 // one per node
  std::vector<float> thresholds;                                      // one per node; 0 at leaves
  std::vector<float> shares;  // leaves x labels: the mean target of the rows in a leaf
};

struct GrowthRules {
  bool best_splits = false;            // else a random cut of each feature that is looked at
  std::size_t smallest_leaf = 1;       // rows
  std::size_t features_per_split = 1;  // that are not constant in the node
};

// Grows trees on the labels of rows: splits by candidates, leaves by targets. One a thread; keeps
// its buffers from tree to tree, and references to what it was made of.
class TreeGrower {
 public:
  // In a tree of many rows, a split of a node that has more than a few is the best one for a sample
  // of them.
  static constexpr std::size_t kManyRows = 16384, kFewRows = 4096, kJudges = 2048;

  TreeGrower(const Binned& x, const Targets& targets, GrowthRules rules);
  ~TreeGrower();

  // The tree of `rows` (ascending) with this stream of random numbers. leaf_of[i] becomes the leaf
  // of row i for `others`, rows that the tree does not learn from.
  Tree grow(std::span<const std::uint32_t> rows, std::span<const std::uint32_t> others,
            Random random, std::span<std::uint32_t> leaf_of);

 private:
  class Work;
  std::unique_ptr<Work> work_;
};

}  // namespace sieve
