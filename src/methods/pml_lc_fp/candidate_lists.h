#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "labelsieve/labels.h"

namespace sieve {

// The candidates of all rows one after the other; numbers that belong to a candidate (confidences,
// distances) are kept in arrays of the same order.
struct CandidateLists {
  explicit CandidateLists(const LabelMatrix& candidates) : labels(candidates.labels()) {
    starts.push_back(0);
    for (std::size_t i = 0; i < candidates.rows(); ++i) {
      candidates.for_each(i, [&](std::size_t k) { all.push_back(static_cast<std::uint32_t>(k)); });
      starts.push_back(all.size());
    }
  }

  std::size_t rows() const { return starts.size() - 1; }
  std::size_t count(std::size_t row) const { return starts[row + 1] - starts[row]; }
  std::span<const std::uint32_t> of(std::size_t row) const {
    return {all.data() + starts[row], count(row)};
  }
  // The part of an array of numbers, one per candidate, that belongs to a row.
  template <class T>
  std::span<T> part(std::vector<T>& numbers, std::size_t row) const {
    return {numbers.data() + starts[row], count(row)};
  }
  template <class T>
  std::span<const T> part(const std::vector<T>& numbers, std::size_t row) const {
    return {numbers.data() + starts[row], count(row)};
  }
  // 1 / g of a row with candidates: what makes rows with many pairs count like others.
  // paper: g = |S| |N| + |S|^2 / 2
  double pair_weight(std::size_t row) const {
    const auto in = static_cast<double>(count(row)), out = static_cast<double>(labels) - in;
    return 1 / (in * out + in * in / 2);
  }

  std::size_t labels;
  std::vector<std::size_t> starts;
  std::vector<std::uint32_t> all;
};

}  // namespace sieve
