#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "labelsieve/learner.h"
#include "labelsieve/matrix.h"
#include "methods/forest/binned.h"
#include "methods/forest/walk_kernels.h"

namespace sieve {

// Error(Model).
[[noreturn]] void refuse_trees(const std::string& what);

// The trees of a forest in the shape in which rows walk down them. Numbers become codes first, of
// one byte: how many of the thresholds that a column has in all trees lie below. A feature with
// more than 255 thresholds is several columns, one that no tree asks for is none.
//
// 64 rows go together: through the first levels side by side, then a few at a time.
class Walks {
 public:
  // Takes what forest_state wrote, and looks at its leaves as long as it lives. Error(Model) if it
  // does not fit together.
  explicit Walks(const ModelState& state);

  std::size_t trees() const { return roots_.size(); }

  // The codes of some rows; one for each thread.
  class Room {
   public:
    // For up to `rows` rows of x at once, fewer where they would take too much.
    Room(const Walks& walks, const Features& x, std::size_t rows);
    std::size_t rows() const { return groups_ * kGroupRows; }  // that it holds

   private:
    friend class Walks;
    std::size_t groups_;
    Array<std::uint8_t> codes_;  // groups x columns x kGroupRows
  };

  // Adds the leaves that rows [first, last) end in to their sums, tree by tree, sums being
  // sum_stride(labels) apart. No more rows than there is room for.
  void add(const Features& x, std::size_t first, std::size_t last, Room& room, float* sums) const;

 private:
  std::size_t columns() const { return column_features_.size(); }
  // Of all nodes, one after the other.
  struct Nodes {
    std::span<const float> features, thresholds;
  };
  void read_tree(const Nodes& nodes, std::size_t count);
  void make_columns(const Nodes& nodes, std::size_t features);
  WalkNode split(std::size_t feature, float threshold, std::uint32_t next) const;
  void copy_first_levels(std::size_t tree, std::size_t node, std::size_t at);
  std::uint8_t* codes_of(Room& room, std::size_t group, std::size_t column) const {
    return room.codes_.data() + (group * columns() + column) * kGroupRows;
  }
  template <class Visit>
  void for_each_column(const Features& x, std::size_t row, const Visit& visit) const;
  void read(const Features& x, std::size_t first, std::size_t last, Room& room) const;
  void forget(const Features& x, std::size_t first, std::size_t last, Room& room) const;
  void walk_together(std::size_t tree, const std::uint8_t* codes, std::size_t rows,
                     std::uint32_t* leaf_of) const;
  void walk_alone(const std::uint8_t* codes, float* sums) const;

  WalkKernels kernels_ = walk_kernels();
  std::vector<WalkNode> nodes_;
  std::vector<std::uint32_t> leaves_;           // number of each node's leaf
  std::vector<std::size_t> roots_;              // in nodes_
  std::vector<WalkNode> first_nodes_;           // kFirstNodes for each tree
  std::vector<std::uint32_t> first_ends_;       // where they lead to, one more for each
  Cuts cuts_;                                   // of the columns
  std::vector<std::uint32_t> column_features_;  // ascending
  std::vector<std::uint32_t> first_columns_;    // of each feature, and the end
  LeafShares shares_;
};

}  // namespace sieve
