#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "labelsieve/metrics.h"
#include "metrics/measuring.h"

namespace sieve {
namespace {

// The value of a row with no relevant label, or with no irrelevant one. nullopt: it is left out.
struct DegenerateValues {
  std::optional<double> empty, full;
};

// Calls row_value(row, relevant labels in it) for the rows that can be ranked well or badly.
template <class T, class RowValue>
Measured mean_over_rows(const BasicMatrix<T>& scores, const LabelMatrix& truth,
                        const DegenerateValues& degenerate, RowValue&& row_value) {
  check_scores(scores, truth);
  Mean mean;
  for (std::size_t i = 0; i < truth.rows(); ++i) {
    const std::size_t relevant = truth.count(i);
    if (truth.labels() == 0)
      mean.skip();
    else if (relevant == 0)
      mean.add(degenerate.empty);
    else if (relevant == truth.labels())
      mean.add(degenerate.full);
    else
      mean.add(static_cast<double>(row_value(i, relevant)));
  }
  return mean.measured();
}

// The labels of one row from best to worst. Reuses the memory of the sort for all rows.
template <class T>
class Ranking {
 public:
  void sort(std::span<const T> scores) {
    places_.resize(scores.size());
    for (std::size_t k = 0; k < scores.size(); ++k)
      places_[k] = {scores[k], static_cast<std::uint32_t>(k)};
    std::ranges::sort(places_, [](const Place& a, const Place& b) {
      return a.score != b.score ? a.score > b.score : a.label > b.label;
    });
  }

  // Calls visit(depth, relevant) for each group of labels that share a rank, best first: the number
  // of labels down to and including the group, and of relevant labels in the group.
  template <class Visit>
  void for_each_group(const LabelMatrix& truth, std::size_t row, Ties ties, Visit&& visit) const {
    for (std::size_t k = 0; k < places_.size();) {
      const T score = places_[k].score;
      std::size_t relevant = 0;
      do {
        relevant += truth.get(row, places_[k].label);
        ++k;
      } while (ties == Ties::Sklearn && k < places_.size() && places_[k].score == score);
      if (relevant > 0) visit(k, relevant);
    }
  }

 private:
  struct Place {
    T score;
    std::uint32_t label;
  };
  std::vector<Place> places_;
};

// How many labels rank at or above the worst relevant one.
template <class T>
std::size_t depth_of_worst(std::span<const T> scores, const LabelMatrix& truth, std::size_t row,
                           Ties ties) {
  T lowest = std::numeric_limits<T>::infinity();
  std::size_t first = scores.size();
  truth.for_each(row, [&](std::size_t k) {
    if (scores[k] < lowest || first == scores.size()) lowest = scores[k], first = k;
  });
  std::size_t depth = 0;
  for (std::size_t k = 0; k < scores.size(); ++k)
    depth += scores[k] > lowest || (scores[k] == lowest && (ties == Ties::Sklearn || k >= first));
  return depth;
}

}  // namespace

template <class T>
Measured ranking_loss(const BasicMatrix<T>& scores, const LabelMatrix& truth,
                      const MetricOptions& o) {
  DegenerateValues degenerate;
  if (o.degenerate == DegenerateRows::Library && o.ties == Ties::Sklearn) degenerate = {0.0, 0.0};
  Ranking<T> ranking;
  return mean_over_rows(scores, truth, degenerate, [&](std::size_t i, std::size_t relevant) {
    ranking.sort(scores.row(i));
    std::size_t found = 0, wrong = 0;
    // A tie between a relevant and an irrelevant label is a full error in both conventions.
    ranking.for_each_group(truth, i, Ties::Sklearn, [&](std::size_t depth, std::size_t here) {
      found += here;
      wrong += here * (depth - found);
    });
    const std::size_t pairs = relevant * (truth.labels() - relevant);
    return static_cast<double>(wrong) / static_cast<double>(pairs);
  });
}

template <class T>
Measured one_error(const BasicMatrix<T>& scores, const LabelMatrix& truth, const MetricOptions&) {
  return mean_over_rows(scores, truth, {}, [&](std::size_t i, std::size_t) {
    const std::span<const T> row = scores.row(i);
    const T highest = *std::ranges::max_element(row);
    bool hit = false;
    truth.for_each(i, [&](std::size_t k) { hit = hit || row[k] == highest; });
    return hit ? 0 : 1;
  });
}

template <class T>
Measured coverage(const BasicMatrix<T>& scores, const LabelMatrix& truth, const MetricOptions& o) {
  const auto labels = static_cast<double>(truth.labels());
  DegenerateValues degenerate;
  if (o.degenerate == DegenerateRows::Library) degenerate = {-1 / labels, (labels - 1) / labels};
  return mean_over_rows(scores, truth, degenerate, [&](std::size_t i, std::size_t) {
    const std::size_t depth = depth_of_worst(scores.row(i), truth, i, o.ties);
    return static_cast<double>(depth - 1) / labels;
  });
}

template <class T>
Measured average_precision(const BasicMatrix<T>& scores, const LabelMatrix& truth,
                           const MetricOptions& o) {
  DegenerateValues degenerate;
  if (o.degenerate == DegenerateRows::Library) {
    if (o.ties == Ties::Sklearn)
      degenerate = {1.0, 1.0};
    else
      degenerate.empty = std::numeric_limits<double>::quiet_NaN();
  }
  Ranking<T> ranking;
  return mean_over_rows(scores, truth, degenerate, [&](std::size_t i, std::size_t relevant) {
    ranking.sort(scores.row(i));
    std::size_t found = 0;
    double sum = 0;
    ranking.for_each_group(truth, i, o.ties, [&](std::size_t depth, std::size_t here) {
      found += here;
      sum += static_cast<double>(here * found) / static_cast<double>(depth);
    });
    return sum / static_cast<double>(relevant);
  });
}

#define SIEVE_INSTANTIATE(T)                                                                       \
  template Measured ranking_loss(const BasicMatrix<T>&, const LabelMatrix&, const MetricOptions&); \
  template Measured one_error(const BasicMatrix<T>&, const LabelMatrix&, const MetricOptions&);    \
  template Measured coverage(const BasicMatrix<T>&, const LabelMatrix&, const MetricOptions&);     \
  template Measured average_precision(const BasicMatrix<T>&, const LabelMatrix&,                   \
                                      const MetricOptions&);
SIEVE_INSTANTIATE(float)
SIEVE_INSTANTIATE(double)
#undef SIEVE_INSTANTIATE

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
