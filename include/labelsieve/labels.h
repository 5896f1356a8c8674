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

// The group of an annotator that none was declared for.
constexpr std::uint32_t kNoGroup = 0xffffffff;

// Who annotated which row, and the labels they assigned. An annotation is what one annotator said
// of one row; an annotation without a tick says that none of the labels fits. The annotations of a
// row stand together, by annotator, and an annotator looks at a row once. An annotator may be
// unsure of a label: then the annotation says neither yes nor no to it, and everything that counts
// or weighs votes takes that vote as missing. Memory: 12 bytes per annotation and 4 per tick; where
// any vote is unsure, 8 more per annotation and 4 per such vote; where votes have grades, 1 more
// per tick.
//
// A tick may have a grade: by how many steps of a scale it lies above the lowest grade that is a
// tick. Only the model of annotators goes by grades; to everything else a tick is a tick.
//
// Annotators may be programs, and may be declared to be of one group: the annotations of a group
// count once in a row, together. Programs that no group is declared for are a group of their own.
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
  // The grade of each of these ticks; empty where no tick has one above 0.
  std::span<const std::uint8_t> grades(std::size_t annotation) const {
    if (grade_.empty()) return {};
    return {grade_.data() + first_tick_[annotation], ticked(annotation).size()};
  }
  bool graded() const { return !grade_.empty(); }
  // The labels that an annotation says nothing of, ascending; none of them is ticked.
  std::span<const std::uint32_t> unsure(std::size_t annotation) const {
    if (first_unsure_.empty()) return {};
    return {unsure_.data() + first_unsure_[annotation],
            first_unsure_[annotation + 1] - first_unsure_[annotation]};
  }
  std::size_t unsure() const { return unsure_.size(); }
  // Whether an annotation says yes or no to a label.
  bool speaks_of(std::size_t annotation, std::uint32_t label) const {
    return unsure_.empty() || !is_unsure(annotation, label);
  }
  // How many annotations of a row do.
  std::size_t votes_on(std::size_t row, std::size_t label) const;

  // For each annotator the number of a declared group, or kNoGroup; empty: none was declared.
  std::span<const std::uint32_t> groups() const { return group_; }
  bool is_program(std::size_t annotator) const {
    return !program_.empty() && program_[annotator] != 0;
  }
  bool has_programs() const { return !program_.empty(); }
  // Each is empty or has one entry per annotator. Programs without a group get one, together.
  void declare(std::vector<std::uint32_t> groups, std::vector<std::uint8_t> programs);

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
  bool is_unsure(std::size_t annotation, std::uint32_t label) const;
  void append_annotation(std::uint32_t annotator, std::span<const std::uint32_t> ticked,
                         std::span<const std::uint32_t> unsure,
                         std::span<const std::uint8_t> grades);

  std::vector<std::string> annotators_;
  std::vector<std::uint64_t> first_annotation_{0};  // one more than rows
  std::vector<std::uint32_t> annotator_;            // one per annotation
  std::vector<std::uint64_t> first_tick_{0};        // one more than annotations
  std::vector<std::uint32_t> label_;                // one per tick
  std::vector<std::uint8_t> grade_;                 // one per tick, or none
  std::vector<std::uint64_t> first_unsure_;         // as first_tick_; empty where nobody is unsure
  std::vector<std::uint32_t> unsure_;               // labels
  std::vector<std::uint32_t> group_;                // one per annotator, or none
  std::vector<std::uint8_t> program_;               // one per annotator, or none
};

// Gathers annotations and ticks in any order; a repeated one counts once, with its highest grade.
class VoteCollector {
 public:
  void annotate(std::uint32_t row, std::uint32_t annotator);
  void tick(std::uint32_t row, std::uint32_t annotator, std::uint32_t label,
            std::uint8_t grade = 0);
  // Neither yes nor no to a label; a tick of the same label goes.
  void unsure(std::uint32_t row, std::uint32_t annotator, std::uint32_t label);
  // All annotations of `votes`, row by row, with annotators of these numbers.
  void add(const Votes& votes, std::size_t first_row, std::span<const std::uint32_t> number_of);
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
  struct Graded {
    Said tick;
    std::uint8_t grade;
    friend auto operator<=>(const Graded&, const Graded&) = default;
  };
  std::vector<Said> said_;
  std::vector<Said> unsure_;
  std::vector<Graded> graded_;  // ticks of a grade above 0
};

// Votes of `below` appended to `above`. Annotators are the same if their names are. Groups of the
// two are different ones, unless their annotators are the same.
Votes stack_rows(const Votes& above, const Votes& below);

}  // namespace sieve
