#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <string_view>
#include <vector>

#include "labelsieve/labels.h"
#include "labelsieve/matrix.h"
#include "labelsieve/metrics.h"

namespace sieve {

// Error(Data) unless `given` (called `name` in the message) has the shape of the truth.
void check_shape(std::string_view name, const LabelMatrix& given, const LabelMatrix& truth);

// Error(Data) if a score is NaN, naming the first one's row and label.
template <class T>
void check_numbers(const BasicMatrix<T>& scores);

// Both of the above for scores.
template <class T>
void check_scores(const BasicMatrix<T>& scores, const LabelMatrix& truth);
void check_scores(const CandidateScores& scores, const LabelMatrix& truth);

// A mean over rows or labels, some of which may be left out.
class Mean {
 public:
  void add(double value) {
    // Kahan summation: a million rows lose no more digits than ten.
    const double term = value - lost_, sum = sum_ + term;
    lost_ = (sum - sum_) - term;
    sum_ = sum;
    ++used_;
  }
  void skip() { ++skipped_; }
  void add(std::optional<double> value) { value ? add(*value) : skip(); }

  Measured measured() const {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    return {used_ == 0 ? nan : sum_ / static_cast<double>(used_), used_, skipped_};
  }

 private:
  double sum_ = 0, lost_ = 0;
  std::size_t used_ = 0, skipped_ = 0;
};

// The value of a pooled measure: all `count` items were used, or none if it is undefined.
inline Measured pooled(std::optional<double> value, std::size_t count) {
  if (value && count > 0) return {*value, count, 0};
  return {std::numeric_limits<double>::quiet_NaN(), 0, count};
}

// A score and whether it belongs to a positive.
template <class T>
struct ScoredCell {
  T score;
  bool positive;
};

// Share of (positive, negative) pairs in the right order, ties counting half. nullopt unless there
// are both kinds. Sorts the cells.
template <class T>
std::optional<double> area_under_roc(std::vector<ScoredCell<T>>& cells);

// Sum over thresholds of precision times gain in recall. nullopt without a positive. Sorts the
// cells.
template <class T>
std::optional<double> step_average_precision(std::vector<ScoredCell<T>>& cells);

// How often a label is true, decided, and both. Quotients are NaN where there is nothing to divide.
struct LabelMeasures {
  std::size_t truth = 0, decided = 0, right = 0;
  double precision() const;
  double recall() const;
  double f1() const;
};
// Without decisions only `truth` is counted.
std::vector<LabelMeasures> count_labels(const LabelMatrix& truth, const LabelMatrix* decisions);

}  // namespace sieve
