#pragma once

#include <initializer_list>
#include <limits>
#include <vector>

#include "labelsieve/metrics.h"
#include "support/support.h"

// Small inputs with known answers (worked out with the MATLAB files in Octave, and scikit-learn).
namespace sieve::test {

inline constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
inline constexpr double kInf = std::numeric_limits<double>::infinity();

inline MatrixD scores_of(const std::vector<std::vector<double>>& rows) {
  MatrixD scores(rows.size(), rows.empty() ? 0 : rows[0].size());
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (std::size_t k = 0; k < rows[i].size(); ++k) scores(i, k) = rows[i][k];
  return scores;
}

inline MatrixD golden_scores() {
  return scores_of({{.9, .1, .5, .5}, {.2, .2, .8, .1}, {.3, .6, .6, .7}, {.4, .4, .4, .4}});
}
inline LabelMatrix golden_truth() {
  return labels_of({"1010", "1001", "0100", "0110"});
}

// The same with a row without any relevant label and one with all.
inline MatrixD golden_scores_with_degenerate_rows() {
  MatrixD scores = golden_scores();
  scores.resize_rows(6);
  for (const std::size_t i : {4U, 5U})
    for (std::size_t k = 0; k < 4; ++k) scores(i, k) = 0.1 * static_cast<double>(k + 1);
  return scores;
}
inline LabelMatrix golden_truth_with_degenerate_rows() {
  return labels_of({"1010", "1001", "0100", "0110", "0000", "1111"});
}

// One row of a matrix as a matrix of its own.
inline MatrixD only_row(const MatrixD& scores, std::size_t i) {
  return scores_of({{scores.row(i).begin(), scores.row(i).end()}});
}
inline LabelMatrix only_row(const LabelMatrix& labels, std::size_t i) {
  return labels.select_rows(std::vector<std::size_t>{i});
}

}  // namespace sieve::test
