#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "labelsieve/matrix.h"
#include "labelsieve/threads.h"
#include "methods/forest/split_kernels.h"
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

// Sorts numbers, ascending, several times as fast as comparing them does. None may be NaN. `room`
// is for the next call to use again.
void sort_floats(std::span<float> values, std::vector<std::uint32_t>& room);

// Features in steps, see Cuts. Those of up to 256 different values lose nothing; others are cut
// into parts with about the same number of rows.
class Binned {
 public:
  Binned(const Features& x, std::uint64_t seed, ThreadPool& pool);

  std::size_t rows() const { return rows_; }
  std::size_t features() const { return cuts_.columns(); }
  bool is_sparse() const { return !row_starts_.empty(); }

  // The cuts of a feature, ascending.
  std::span<const float> cuts(std::size_t feature) const { return cuts_.of(feature); }
  std::uint8_t code(std::size_t row, std::size_t feature) const {
    return is_sparse() ? sparse_code(row, feature) : column(feature)[row];
  }

  // Dense: keeps the codes row by row, too. That takes as much memory again.
  void keep_rows(ThreadPool& pool);
  bool has_rows() const { return by_row_.size() > 0; }
  ByteRows bytes_of(std::span<const std::uint32_t> rows) const;

  // Dense: the codes of all rows.
  const std::uint8_t* column(std::size_t feature) const { return codes_.data() + feature * rows_; }

  // Sparse: the entries of a row, and the code of what is not stored.
  struct Row {
    std::span<const std::uint32_t> columns;
    const std::uint8_t* codes;
  };
  Row row(std::size_t i) const {
    const std::size_t first = row_starts_[i];
    return {{columns_.data() + first, row_starts_[i + 1] - first}, codes_.data() + first};
  }
  std::uint8_t zero_code(std::size_t feature) const { return zero_codes_[feature]; }

 private:
  void bin_dense(const Features& x, std::uint64_t seed, ThreadPool& pool);
  void bin_sparse(const Features& x, ThreadPool& pool);
  std::uint8_t sparse_code(std::size_t row, std::size_t feature) const;

  std::size_t rows_;
  Cuts cuts_;
  Array<std::uint8_t> codes_;            // dense: column by column; sparse: one per entry
  Array<std::uint8_t> by_row_;           // dense, if they were kept
  std::vector<std::size_t> row_starts_;  // sparse, as in CsrMatrix
  Array<std::uint32_t> columns_;
  std::vector<std::uint8_t> zero_codes_;
};

// At most 255 values that cut `values` (sorted here), to which `zeros` times 0 are added.
std::vector<float> find_cuts(std::span<float> values, std::size_t zeros);

}  // namespace sieve
