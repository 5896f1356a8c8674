#include <vector>

#include "labelsieve/metrics.h"
#include "metrics/cells.h"
#include "metrics/checks.h"
#include "metrics/mean.h"

namespace sieve {
namespace {

template <class T, class Probabilities>
std::vector<ScoredCell<T>> candidate_cells(const Probabilities& probabilities,
                                           const LabelMatrix& candidates,
                                           const LabelMatrix& truth) {
  check_scores(probabilities, truth);
  check_shape("candidates", candidates, truth);
  std::vector<ScoredCell<T>> cells;
  cells.reserve(candidates.count());
  for (std::size_t i = 0; i < truth.rows(); ++i)
    candidates.for_each(i, [&](std::size_t k) {
      cells.push_back({probabilities(i, k), truth.get(i, k)});
    });
  return cells;
}

}  // namespace

template <class T>
Measured cleaning_auc(const BasicMatrix<T>& probabilities, const LabelMatrix& candidates,
                      const LabelMatrix& truth) {
  std::vector<ScoredCell<T>> cells = candidate_cells<T>(probabilities, candidates, truth);
  return pooled(area_under_roc(cells), cells.size());
}

Measured cleaning_auc(const CandidateScores& probabilities, const LabelMatrix& candidates,
                      const LabelMatrix& truth) {
  std::vector<ScoredCell<float>> cells = candidate_cells<float>(probabilities, candidates, truth);
  return pooled(area_under_roc(cells), cells.size());
}

template <class T>
Measured cleaning_average_precision(const BasicMatrix<T>& probabilities,
                                    const LabelMatrix& candidates, const LabelMatrix& truth) {
  std::vector<ScoredCell<T>> cells = candidate_cells<T>(probabilities, candidates, truth);
  return pooled(step_average_precision(cells), cells.size());
}

Measured cleaning_average_precision(const CandidateScores& probabilities,
                                    const LabelMatrix& candidates, const LabelMatrix& truth) {
  std::vector<ScoredCell<float>> cells = candidate_cells<float>(probabilities, candidates, truth);
  return pooled(step_average_precision(cells), cells.size());
}

template Measured cleaning_auc(const Matrix&, const LabelMatrix&, const LabelMatrix&);
template Measured cleaning_auc(const MatrixD&, const LabelMatrix&, const LabelMatrix&);
template Measured cleaning_average_precision(const Matrix&, const LabelMatrix&, const LabelMatrix&);
template Measured cleaning_average_precision(const MatrixD&, const LabelMatrix&,
                                             const LabelMatrix&);

}  // namespace sieve
