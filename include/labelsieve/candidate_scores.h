#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "labelsieve/labels.h"
#include "labelsieve/matrix.h"

namespace sieve {

// How sure a judge is of every candidate, in [0, 1]. Holds 4 bytes a candidate beside the
// candidates themselves, where a Matrix takes as much for every label of a row.
class CandidateScores {
 public:
  CandidateScores() = default;
  // All 0 at first.
  explicit CandidateScores(LabelMatrix candidates);
  // Of rows x labels; what is no candidate is passed over.
  CandidateScores(const Matrix& confidence, LabelMatrix candidates);

  std::size_t rows() const { return candidates_.rows(); }
  std::size_t labels() const { return candidates_.labels(); }
  // 0 where there is no candidate.
  float operator()(std::size_t row, std::size_t label) const;
  // Takes those of the row's candidates out of one number a label.
  void set_row(std::size_t row, std::span<const float> confidence);

 private:
  std::size_t row_start(std::size_t row) const;
  LabelMatrix candidates_;
  std::vector<std::size_t> starts_;  // in values_, of every kStep-th row
  Array<float> values_;              // row by row
};

}  // namespace sieve
