#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/random.h"
#include "labelsieve/labels.h"
#include "labelsieve/matrix.h"
#include "methods/forest/binned.h"
#include "methods/forest/split_kernels.h"

namespace sieve {

// Draws the features that a node may be split by: without repeats, all of them not constant among
// its rows. Nodes come depth first.
class NodeFeatures {
 public:
  NodeFeatures(const Binned& x, std::size_t wanted, const SplitKernels& kernels);

  void begin_tree();

  // Copies the codes of a few rows of many to where they stay in the cache; from now on, until
  // leave_near, rows are numbered by their places among these.
  void bring_near(std::span<const std::uint32_t> rows);
  void leave_near() { is_near_ = false; }

  // What is known of a node's features before it is looked at: nothing at the root, and what its
  // parent's `known()` was elsewhere.
  using Known = std::size_t;

  // Calls look(feature, its codes, a random number) for features drawn, until it said "not
  // constant" (true) of as many as are wanted. Returns what is known of the node's children.
  template <class Look>
  Known for_each_drawn(std::span<const std::uint32_t> rows, Known known, Random& random,
                       const Look& look) {
    if (x_.is_sparse()) {
      draw_sparse(rows, random);
      for (std::size_t first = 0; first < drawn_.size(); first += slots(rows.size())) {
        const std::size_t some = std::min(slots(rows.size()), drawn_.size() - first);
        read_slots(rows, first, some);
        for (std::size_t s = 0; s < some; ++s)
          look(drawn_[first + s], NodeCodes{codes_.data() + s * padded_rows(rows.size())},
               static_cast<std::uint32_t>(random.bits()));
      }
      return 0;
    }
    // Constant features are constant below this node too: they are kept at the front.
    std::size_t end = order_.size();
    for (std::size_t found = 0; found < wanted_ && known < end;) {
      const std::uint64_t bits = random.bits();
      const std::size_t at = known + ((end - known) * (bits >> 32) >> 32);
      const std::uint32_t feature = order_[at];
      const bool varies = look(feature, NodeCodes{codes_.data(), column(feature), rows.data()},
                               static_cast<std::uint32_t>(bits));
      std::swap(order_[at], order_[varies ? --end : known++]);
      found += varies ? 1 : 0;
    }
    return known;
  }

 private:
  struct Seen {
    std::uint32_t count = 0;  // stored entries among the rows
    std::uint8_t low = 255, high = 0;
  };
  const std::uint8_t* column(std::size_t feature) const {
    return is_near_ ? near_.data() + feature * near_stride_ : x_.column(feature);
  }
  std::size_t slots(std::size_t rows) const;
  void draw_sparse(std::span<const std::uint32_t> rows, Random& random);
  void read_slots(std::span<const std::uint32_t> rows, std::size_t first, std::size_t count);

  const Binned& x_;
  std::size_t wanted_;
  SplitKernels kernels_;
  std::vector<std::uint32_t> order_;  // dense: the features
  std::vector<Seen> seen_;            // sparse: one per feature
  std::vector<std::uint32_t> slot_;   // sparse: one per feature
  std::vector<std::uint32_t> met_;    // sparse: features of a node's entries
  std::vector<std::uint32_t> drawn_;
  Array<std::uint8_t> codes_;
  bool is_near_ = false;
  std::size_t near_stride_ = 0;
  Array<std::uint8_t> near_;
};

// The labels of a node's rows, turned so that counting them on one side of a split is quick.
class NodeLabels {
 public:
  // `weights` are empty, or how much each row counts, from 1 to 2^kMostWeightBits - 1.
  NodeLabels(const LabelMatrix& labels, std::span<const std::uint8_t> weights,
             const SplitKernels& kernels);

  // As for NodeFeatures.
  void bring_near(std::span<const std::uint32_t> rows);
  void leave_near() { is_near_ = false; }

  // Looks at the rows of a node.
  void read(std::span<const std::uint32_t> rows);
  // The share of the rows that have each label.
  void write_shares(std::vector<float>& into) const;

  // Labels that only some of the rows have: all that a split can tell apart.
  LabelPlanes planes(std::size_t least) const {
    return {rows_,          words_, totals_.size(), planes_.data(),        totals_.data(),
            total_squares_, least,  weight_bits_,   weight_planes_.data(), weight_};
  }
  // The same as words of bits; of rows that have no weights.
  LabelWords row_words(std::span<const std::uint32_t> rows);
  // The same as rows.
  LabelRows label_rows(std::span<const std::uint32_t> rows);

 private:
  // Eight labels of all rows.
  const std::uint8_t* column(std::size_t eight) const {
    return is_near_ ? near_columns_.data() + eight * near_rows_
                    : columns_.data() + eight * labels_.rows();
  }
  // Empty, if all count 1.
  std::span<const std::uint8_t> weights() const { return is_near_ ? near_weights_ : weights_; }
  void read_weights(std::span<const std::uint32_t> rows);
  std::uint32_t weight_of(const std::uint64_t* plane, std::uint32_t count) const;

  const LabelMatrix& labels_;
  std::span<const std::uint8_t> weights_;
  std::size_t weight_bits_ = 0;  // that some row has
  std::size_t weight_ = 0;
  Array<std::uint64_t> weight_planes_;  // eight
  SplitKernels kernels_;
  std::size_t rows_ = 0, words_ = 0;
  std::vector<std::uint32_t> counts_;  // all labels
  std::vector<std::uint32_t> totals_;  // those that vary, like their planes
  std::uint64_t total_squares_ = 0;
  std::vector<std::uint64_t> vary_;        // bits of all labels
  std::vector<std::uint32_t> label_room_;  // zeros
  Array<std::uint8_t> bytes_, columns_;  // columns_: eight labels of all rows, the next eight, ...
  Array<std::uint64_t> planes_;
  bool is_near_ = false;
  std::size_t near_rows_ = 0;
  std::vector<std::uint8_t> near_columns_, near_weights_;
  std::vector<std::uint8_t> lanes_;
  std::vector<std::uint32_t> lane_totals_;
  std::vector<std::int16_t> small_totals_;
};

}  // namespace sieve
