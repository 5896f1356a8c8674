#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

// The inner loops of walking down trees, 64 rows side by side. Every target gives the same.
namespace sieve {

constexpr std::size_t kGroupRows = 64;
constexpr std::size_t kCutsToFence = 16;

// The cuts of a column, in sixteens: behind 16 and more come infinite ones, one at least, up to the
// next multiple of 16. `fences`: the last of each sixteen without them.
struct CutColumn {
  std::span<const float> cuts, fences;
};

// A node of a tree: rows whose code in its column is larger than its own go to the node behind
// `next`, the others there. In one word, because it is read in one go.
class WalkNode {
 public:
  static constexpr std::size_t kMostColumns = (std::size_t{1} << 32) / kGroupRows;

  constexpr WalkNode() = default;
  constexpr WalkNode(std::size_t column, std::uint8_t code, std::uint32_t next)
      : word_(std::uint64_t{column} * kGroupRows << 32 | std::uint64_t{next} << 8 | code) {}
  // Its own next, with a code that none is larger than: to go on from it changes nothing.
  static constexpr WalkNode leaf(std::uint32_t at) { return {0, 255, at}; }
  constexpr bool is_leaf() const { return code() == 255; }
  // Where the codes of its column begin.
  constexpr std::size_t place() const { return word_ >> 32; }
  constexpr std::uint32_t next() const { return static_cast<std::uint32_t>(word_) >> 8; }
  constexpr std::uint8_t code() const { return static_cast<std::uint8_t>(word_); }

 private:
  std::uint64_t word_ = 0;
};

// The first levels of a tree, with nothing left out: the children of node k are 2k + 1 and 2k + 2.
constexpr std::size_t kFirstLevels = 6;
constexpr std::size_t kFirstNodes = (std::size_t{1} << kFirstLevels) - 1;

// The leaves of all trees.
struct LeafShares {
  std::span<const float> shares;  // leaves x labels
  std::size_t labels;
};
// The distance between sums over leaves, by the number of labels.
constexpr std::size_t sum_stride(std::size_t labels) {
  return labels <= 4 ? 4 : labels <= 8 ? 8 : (labels + 15) / 16 * 16;
}

// For the processor at hand.
struct WalkKernels {
  // to[i] becomes how many cuts lie below rows[i][feature].
  void (*codes)(const CutColumn& column, std::span<const float* const> rows, std::size_t feature,
                std::uint8_t* to);
  // paths[r] becomes the way of row r through kFirstNodes nodes, the first turn the highest bit.
  // `codes`: kGroupRows for each column.
  void (*first_levels)(const WalkNode* nodes, const std::uint8_t* codes, std::uint8_t* paths);
  // Adds the leaf of row i to the sums from i * sum_stride(labels) on. What stands behind the last
  // label is anything.
  void (*add_leaves)(const LeafShares& leaves, std::span<const std::uint32_t> leaf_of, float* sums);
};
WalkKernels walk_kernels();

}  // namespace sieve
