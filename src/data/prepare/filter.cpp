#include <algorithm>
#include <numeric>
#include <utility>

#include "labelsieve/prepare.h"

namespace sieve {
namespace {

const LabelMatrix& known_labels(const Dataset& data) {
  return data.truth ? *data.truth : data.candidates;
}

std::vector<std::size_t> most_frequent(const LabelMatrix& labels, std::size_t keep) {
  const std::vector<std::size_t> counts = labels.label_counts();
  std::vector<std::size_t> order(counts.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater{}, [&](std::size_t k) { return counts[k]; });
  order.resize(keep);
  std::ranges::sort(order);
  return order;
}

void keep_labels(Dataset& data, std::span<const std::size_t> kept) {
  data.candidates = data.candidates.select_labels(kept);
  if (data.truth) data.truth = data.truth->select_labels(kept);
  if (data.votes) data.votes = std::make_shared<const Votes>(data.votes->select_labels(kept));
  std::vector<std::string> names;
  for (const std::size_t k : kept) names.push_back(std::move(data.label_names[k]));
  data.label_names = std::move(names);
}

}  // namespace

FilterReport filter_labels(Dataset& data, std::size_t keep, bool drop_unlabelled) {
  FilterReport report{data.labels(), data.labels(), data.rows(), data.rows()};
  if (keep != 0 && keep < data.labels()) {
    keep_labels(data, most_frequent(known_labels(data), keep));
    report.labels_after = keep;
  }
  if (!drop_unlabelled) return report;
  std::vector<std::size_t> labelled;
  for (std::size_t i = 0; i < data.rows(); ++i)
    if (known_labels(data).count(i) > 0) labelled.push_back(i);
  if (labelled.size() < data.rows()) data = data.select_rows(labelled);
  report.rows_after = labelled.size();
  return report;
}

}  // namespace sieve
