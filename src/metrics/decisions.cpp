#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

#include "labelsieve/error.h"
#include "labelsieve/metrics.h"
#include "metrics/measuring.h"

namespace sieve {
namespace {

std::size_t count_shared(const LabelMatrix& a, const LabelMatrix& b, std::size_t row) {
  std::size_t shared = 0;
  for (std::size_t w = 0; w < a.words_per_row(); ++w)
    shared += static_cast<std::size_t>(std::popcount(a.words(row)[w] & b.words(row)[w]));
  return shared;
}

// F1 = 2 TP / (2 TP + FP + FN); the divisor is the decided positives plus the true ones.
double f1(std::size_t shared, std::size_t decided_and_true, double zero_division) {
  if (decided_and_true == 0) return zero_division;
  return 2 * static_cast<double>(shared) / static_cast<double>(decided_and_true);
}

}  // namespace

Measured hamming_loss(const LabelMatrix& decisions, const LabelMatrix& truth) {
  check_shape("decisions", decisions, truth);
  const std::size_t wrong = count_outside(decisions, truth) + count_outside(truth, decisions);
  const std::size_t cells = truth.rows() * truth.labels();
  if (cells == 0) return pooled(std::nullopt, truth.rows());
  return pooled(static_cast<double>(wrong) / static_cast<double>(cells), truth.rows());
}

Measured exact_match(const LabelMatrix& decisions, const LabelMatrix& truth) {
  check_shape("decisions", decisions, truth);
  Mean mean;
  for (std::size_t i = 0; i < truth.rows(); ++i)
    mean.add(std::ranges::equal(decisions.words(i), truth.words(i)) ? 1.0 : 0.0);
  return mean.measured();
}

Measured micro_f1(const LabelMatrix& decisions, const LabelMatrix& truth, const MetricOptions& o) {
  check_shape("decisions", decisions, truth);
  std::size_t shared = 0;
  for (std::size_t i = 0; i < truth.rows(); ++i) shared += count_shared(decisions, truth, i);
  return pooled(f1(shared, decisions.count() + truth.count(), o.zero_division), truth.rows());
}

Measured macro_f1(const LabelMatrix& decisions, const LabelMatrix& truth, const MetricOptions& o) {
  check_shape("decisions", decisions, truth);
  const std::vector<std::size_t> decided = decisions.label_counts(), real = truth.label_counts();
  std::vector<std::size_t> shared(truth.labels());
  for (std::size_t i = 0; i < truth.rows(); ++i)
    truth.for_each(i, [&](std::size_t k) { shared[k] += decisions.get(i, k); });
  Mean mean;
  for (std::size_t k = 0; k < truth.labels(); ++k)
    mean.add(f1(shared[k], decided[k] + real[k], o.zero_division));
  return mean.measured();
}

Measured sample_f1(const LabelMatrix& decisions, const LabelMatrix& truth, const MetricOptions& o) {
  check_shape("decisions", decisions, truth);
  Mean mean;
  for (std::size_t i = 0; i < truth.rows(); ++i)
    mean.add(f1(count_shared(decisions, truth, i), decisions.count(i) + truth.count(i),
                o.zero_division));
  return mean.measured();
}

template <class T>
LabelMatrix decide_by_threshold(const BasicMatrix<T>& scores, double threshold) {
  if (std::isnan(threshold))
    throw Error(Failure::Usage, "the threshold is not a number", {}, "give a number such as 0.5");
  check_numbers(scores);
  const T limit = static_cast<T>(threshold);
  LabelMatrix decisions(scores.rows(), scores.cols());
  for (std::size_t i = 0; i < scores.rows(); ++i)
    for (std::size_t k = 0; k < scores.cols(); ++k)
      if (scores(i, k) >= limit) decisions.set(i, k);
  return decisions;
}

template LabelMatrix decide_by_threshold(const Matrix&, double);
template LabelMatrix decide_by_threshold(const MatrixD&, double);

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
