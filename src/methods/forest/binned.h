#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "labelsieve/matrix.h"
#include "labelsieve/threads.h"
#include "methods/forest/cuts.h"

namespace sieve {

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
  std::vector<std::size_t> row_starts_;  // sparse, as in CsrMatrix
  Array<std::uint32_t> columns_;
  std::vector<std::uint8_t> zero_codes_;
};

// At most 255 values that cut `values` (sorted here), to which `zeros` times 0 are added.
std::vector<float> find_cuts(std::span<float> values, std::size_t zeros);

}  // namespace sieve
