#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "labelsieve/matrix.h"
#include "methods/forest/walk_kernels.h"

namespace sieve {

// Columns of numbers in steps: each is cut at no more than 255 values, and a number becomes its
// code, how many of the cuts lie below it. So x <= cut[t] exactly where code <= t.
class Cuts {
 public:
  static constexpr std::size_t kMost = 255;

  // A further column, with these cuts, ascending.
  void add(std::span<const float> cuts);
  std::size_t columns() const { return counts_.size(); }
  std::span<const float> of(std::size_t column) const {
    return std::span(cuts_).subspan(starts_[column], counts_[column]);
  }

  std::uint8_t code(std::size_t column, float value) const;
  // to[i] becomes the code of rows[i][feature].
  void codes(std::size_t column, std::span<const float* const> rows, std::size_t feature,
             std::uint8_t* to) const;

 private:
  WalkKernels kernels_ = walk_kernels();
  std::vector<std::size_t> starts_{0}, fence_starts_{0};  // one per column and the end
  std::vector<std::uint8_t> counts_;
  std::vector<float> cuts_, fences_;  // see CutColumn
};

// Neighbouring rows of dense features, side by side.
class RowGroup {
 public:
  RowGroup(const Features& x, std::size_t first, std::size_t last);
  std::span<const float* const> rows() const { return {rows_.data(), count_}; }

 private:
  std::size_t count_;
  std::array<RowRoom, kGroupRows> rooms_;
  std::array<const float*, kGroupRows> rows_;
};

}  // namespace sieve
