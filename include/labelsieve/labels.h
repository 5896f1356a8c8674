#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "labelsieve/matrix.h"

namespace sieve {

// A 0/1 matrix of rows x labels, 64 labels per word; the unused bits of a row's last word are zero.
// Copy with clone(). Reading is safe from many threads; so is writing to different rows, once the
// bits are not shared.
class LabelMatrix {
 public:
  LabelMatrix() = default;
  LabelMatrix(LabelMatrix&&) = default;
  LabelMatrix& operator=(LabelMatrix&&) = default;
  LabelMatrix(std::size_t rows, std::size_t labels)
      : rows_(rows),
        labels_(labels),
        words_((labels + 63) / 64),
        bits_(std::make_shared<Array<std::uint64_t>>(rows * words_)),
        data_(bits_->data()) {}

  std::size_t rows() const { return rows_; }
  std::size_t labels() const { return labels_; }
  std::size_t words_per_row() const { return words_; }

  bool get(std::size_t row, std::size_t label) const {
    return (data_[row * words_ + label / 64] >> (label % 64)) & 1U;
  }
  void set(std::size_t row, std::size_t label, bool on = true) {
    const std::uint64_t bit = std::uint64_t{1} << (label % 64);
    std::uint64_t& word = words(row)[label / 64];
    word = on ? word | bit : word & ~bit;
  }
  std::span<const std::uint64_t> words(std::size_t row) const {
    return {data_ + row * words_, words_};
  }
  std::span<std::uint64_t> words(std::size_t row) {
    if (bits_.use_count() > 1) resize_rows(rows_);
    return {data_ + row * words_, words_};
  }

  // Calls visit(label) for each label that is on, ascending.
  template <class Visit>
  void for_each(std::size_t row, Visit&& visit) const {
    for (std::size_t w = 0; w < words_; ++w)
      for (std::uint64_t rest = data_[row * words_ + w]; rest != 0; rest &= rest - 1)
        visit(w * 64 + static_cast<std::size_t>(std::countr_zero(rest)));
  }

  std::size_t count(std::size_t row) const;       // labels on in a row
  std::size_t count() const;                      // cells on in all
  std::vector<std::size_t> label_counts() const;  // rows in which each label is on

  void resize_rows(std::size_t rows);  // new rows are empty
  LabelMatrix select_rows(std::span<const std::size_t> rows) const;
  LabelMatrix select_labels(std::span<const std::size_t> labels) const;
  LabelMatrix clone() const;
  // One with the same bits, which are copied when either is first written to.
  LabelMatrix share() const { return *this; }
  friend bool operator==(const LabelMatrix& a, const LabelMatrix& b);

 private:
  LabelMatrix(const LabelMatrix&) = default;
  std::size_t rows_ = 0, labels_ = 0, words_ = 0;
  std::shared_ptr<Array<std::uint64_t>> bits_;
  std::uint64_t* data_ = nullptr;  // of bits_
};

// Cells that are on in `inner` but not in `outer` (same shape).
std::size_t count_outside(const LabelMatrix& inner, const LabelMatrix& outer);

}  // namespace sieve
