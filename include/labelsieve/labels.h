#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
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

// The probability of every candidate, in [0, 1]. Takes 4 bytes per candidate in addition to the
// candidates themselves; a Matrix would take 4 bytes for every label of a row.
class CandidateScores {
 public:
  CandidateScores() = default;
  // All 0 at first.
  explicit CandidateScores(LabelMatrix candidates);
  // From rows x labels; values that do not belong to a candidate are skipped.
  CandidateScores(const Matrix& probabilities, LabelMatrix candidates);

  std::size_t rows() const { return candidates_.rows(); }
  std::size_t labels() const { return candidates_.labels(); }
  // 0 where there is no candidate.
  float operator()(std::size_t row, std::size_t label) const;
  const LabelMatrix& candidates() const { return candidates_; }
  // Calls visit(label, value) for each candidate of a row, ascending.
  template <class Visit>
  void for_each(std::size_t row, Visit&& visit) const {
    const float* value = values_.data() + row_start(row);
    candidates_.for_each(row, [&](std::size_t label) { visit(label, *value++); });
  }
  CandidateScores select_rows(std::span<const std::size_t> rows) const;
  // Takes the values of the row's candidates from one number per label.
  void set_row(std::size_t row, std::span<const float> probabilities);

 private:
  std::size_t row_start(std::size_t row) const;
  LabelMatrix candidates_;
  std::vector<std::size_t> starts_;  // in values_, of every kStep-th row
  Array<float> values_;              // row by row
};

// Who annotated which row, and the labels they assigned. An annotation is what one annotator said
// of one row; an annotation without a tick says that none of the labels fits. The annotations of a
// row stand together, by annotator, and an annotator looks at a row once. Memory: 12 bytes per
// annotation and 4 per tick.
class Votes {
 public:
  Votes() = default;

  std::size_t rows() const { return first_annotation_.size() - 1; }
  std::size_t annotations() const { return annotator_.size(); }
  std::size_t ticks() const { return label_.size(); }
  std::span<const std::string> annotators() const { return annotators_; }

  // The annotations of a row are those from first_annotation(row) up to, but without,
  // first_annotation(row + 1).
  std::size_t first_annotation(std::size_t row) const { return first_annotation_[row]; }
  std::size_t annotations(std::size_t row) const {
    return first_annotation_[row + 1] - first_annotation_[row];
  }
  std::uint32_t annotator(std::size_t annotation) const { return annotator_[annotation]; }
  // The labels ticked in an annotation, ascending.
  std::span<const std::uint32_t> ticked(std::size_t annotation) const {
    return {label_.data() + first_tick_[annotation],
            first_tick_[annotation + 1] - first_tick_[annotation]};
  }

  // The labels that any annotator assigned. Each must be below `labels`.
  LabelMatrix any_tick(std::size_t labels) const;
  // The given rows, in the given order; the annotators stay the same, in the same order.
  Votes select_rows(std::span<const std::size_t> rows) const;
  // The given labels alone (ascending), numbered from 0. Every look stays.
  Votes select_labels(std::span<const std::size_t> labels) const;
  // The same votes where label k has the number number[k].
  Votes renumber_labels(std::span<const std::uint32_t> number) const;
  friend bool operator==(const Votes&, const Votes&) = default;

 private:
  friend class VoteCollector;
  void append_annotation(std::uint32_t annotator, std::span<const std::uint32_t> ticked);

  std::vector<std::string> annotators_;
  std::vector<std::uint64_t> first_annotation_{0};  // one more than rows
  std::vector<std::uint32_t> annotator_;            // one per annotation
  std::vector<std::uint64_t> first_tick_{0};        // one more than annotations
  std::vector<std::uint32_t> label_;                // one per tick
};

// Gathers annotations and ticks in any order; a repeated one counts once.
class VoteCollector {
 public:
  void annotate(std::uint32_t row, std::uint32_t annotator);
  void tick(std::uint32_t row, std::uint32_t annotator, std::uint32_t label);
  // Votes over `rows` rows by `annotators`. Each row and annotator named must be below their
  // number. Leaves the collector empty.
  Votes finish(std::size_t rows, std::vector<std::string> annotators);

 private:
  struct Said {
    std::uint32_t row, annotator,
        label;  // an annotation alone: label is kNoLabel, after every real label
    friend auto operator<=>(const Said&, const Said&) = default;
  };
  static constexpr std::uint32_t kNoLabel = 0xffffffff;
  std::vector<Said> said_;
};

// Votes of `below` appended to `above`. Annotators are the same if their names are.
Votes stack_rows(const Votes& above, const Votes& below);

}  // namespace sieve
