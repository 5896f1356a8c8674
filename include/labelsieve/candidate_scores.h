#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "labelsieve/labels.h"
#include "labelsieve/matrix.h"

namespace sieve {

// The probability of every candidate, in [0, 1]. Takes 4 bytes per candidate in addition to the
// candidates themselves; a Matrix would take 4 bytes for every label of a row.
class CandidateScores {
 public:
  CandidateScores() = default;
  // All 0 at first.
  explicit CandidateScores(LabelMatrix candidates);
  // From rows x labels; values that do not belong to a candidate are skipped.
  CandidateScores(const Matrix& confidence, LabelMatrix candidates);

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
  void set_row(std::size_t row, std::span<const float> confidence);

 private:
  std::size_t row_start(std::size_t row) const;
  LabelMatrix candidates_;
  std::vector<std::size_t> starts_;  // in values_, of every kStep-th row
  Array<float> values_;              // row by row
};

}  // namespace sieve
