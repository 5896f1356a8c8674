#include <limits>
#include <vector>

#include "labelsieve/metrics.h"
#include "metrics/cells.h"
#include "metrics/checks.h"
#include "metrics/mean.h"

namespace sieve {
namespace {

// Calls visit(area or nullopt) for each label in turn.
template <class T, class Visit>
void for_each_label_area(const BasicMatrix<T>& scores, const LabelMatrix& truth, Visit&& visit) {
  check_scores(scores, truth);
  std::vector<ScoredCell<T>> column(truth.rows());
  for (std::size_t k = 0; k < truth.labels(); ++k) {
    for (std::size_t i = 0; i < truth.rows(); ++i) column[i] = {scores(i, k), truth.get(i, k)};
    visit(area_under_roc(column));
  }
}

}  // namespace

template <class T>
Measured macro_auc(const BasicMatrix<T>& scores, const LabelMatrix& truth) {
  Mean mean;
  for_each_label_area(scores, truth, [&](std::optional<double> area) { mean.add(area); });
  return mean.measured();
}

template <class T>
std::vector<double> label_auc(const BasicMatrix<T>& scores, const LabelMatrix& truth) {
  std::vector<double> areas;
  for_each_label_area(scores, truth, [&](std::optional<double> area) {
    areas.push_back(area.value_or(std::numeric_limits<double>::quiet_NaN()));
  });
  return areas;
}

template <class T>
Measured micro_auc(const BasicMatrix<T>& scores, const LabelMatrix& truth) {
  check_scores(scores, truth);
  std::vector<ScoredCell<T>> cells;
  cells.reserve(truth.rows() * truth.labels());
  for (std::size_t i = 0; i < truth.rows(); ++i)
    for (std::size_t k = 0; k < truth.labels(); ++k)
      cells.push_back({scores(i, k), truth.get(i, k)});
  return pooled(area_under_roc(cells), truth.rows());
}

template Measured macro_auc(const Matrix&, const LabelMatrix&);
template Measured macro_auc(const MatrixD&, const LabelMatrix&);
template Measured micro_auc(const Matrix&, const LabelMatrix&);
template Measured micro_auc(const MatrixD&, const LabelMatrix&);
template std::vector<double> label_auc(const Matrix&, const LabelMatrix&);
template std::vector<double> label_auc(const MatrixD&, const LabelMatrix&);

}  // namespace sieve
