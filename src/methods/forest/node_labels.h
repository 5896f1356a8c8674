#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "labelsieve/labels.h"
#include "methods/forest/split_kernels.h"

namespace sieve {

// The labels of a node's rows, turned so that counting them on one side of a split is quick.
class NodeLabels {
 public:
  NodeLabels(const LabelMatrix& labels, const SplitKernels& kernels);

  // Looks at the rows of a node.
  void read(std::span<const std::uint32_t> rows);
  // The share of the rows that have each label.
  void write_shares(std::vector<float>& into) const;

  // Labels that only some of the rows have: all that a split can tell apart.
  LabelPlanes planes(std::size_t least) const {
    return {rows_, words_, totals_.size(), planes_.data(), totals_.data(), total_squares_, least};
  }
  // The same as rows.
  LabelRows label_rows();

 private:
  const LabelMatrix& labels_;
  SplitKernels kernels_;
  std::size_t rows_ = 0, words_ = 0;
  std::vector<std::uint32_t> counts_;  // all labels
  std::vector<std::uint32_t> totals_;  // those that vary, like their planes
  std::uint64_t total_squares_ = 0;
  Array<std::uint8_t> bytes_, columns_;  // columns_: eight labels of all rows, the next eight, ...
  Array<std::uint64_t> planes_;
  std::vector<std::uint8_t> lanes_;
  std::vector<std::uint32_t> lane_totals_;
  std::vector<std::int16_t> small_totals_;
};

}  // namespace sieve
