#include "review/neighbours.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace sieve {
namespace {

constexpr std::size_t kMostRows = 20000;    // that means and spreads are taken from
constexpr std::size_t kMostOfLabel = 2000;  // that the means of a label are taken from
constexpr std::size_t kWidest = 5000;       // features: beyond that nobody can look at them

template <class Visit>
void for_each_entry(const RowEntries& row, Visit&& visit) {
  for (std::size_t k = 0; k < row.count; ++k)
    visit(row.columns == nullptr ? k : row.columns[k], row.values[k]);
}

// At most `most` of `count`, evenly spread.
template <class Visit>
void for_some(std::size_t count, std::size_t most, Visit&& visit) {
  const std::size_t some = std::min(count, most);
  for (std::size_t k = 0; k < some; ++k) visit(k * count / some);
}

}  // namespace

FeatureLook::FeatureLook(const Features& features, const ReviewCells& cells, std::size_t labels)
    : features_(features), cells_(cells), cells_of_label_(labels), with_(labels) {
  for (std::size_t i = 0; i < cells.size(); ++i)
    cells_of_label_[cells[i].at.label].push_back(static_cast<std::uint32_t>(i));
  if (features.cols() == 0 || features.rows() == 0 || features.cols() > kWidest) return;
  std::vector<double> sum(features.cols(), 0), squares(features.cols(), 0);
  double rows = 0;
  for_some(features.rows(), kMostRows, [&](std::size_t row) {
    rows += 1;
    for_each_entry(features_.row(row, room_), [&](std::size_t j, float value) {
      sum[j] += static_cast<double>(value);
      squares[j] += static_cast<double>(value) * static_cast<double>(value);
    });
  });
  for (std::size_t j = 0; j < sum.size(); ++j) {
    const double mean = sum[j] / rows, variance = squares[j] / rows - mean * mean;
    mean_.push_back(static_cast<float>(mean));
    spread_.push_back(static_cast<float>(std::sqrt(std::max(variance, 0.0))));
  }
}

void FeatureLook::standardised(std::size_t row, std::vector<float>& into) {
  into.resize(mean_.size());
  for (std::size_t j = 0; j < mean_.size(); ++j) into[j] = -mean_[j];
  for_each_entry(features_.row(row, room_), [&](std::size_t j, float value) { into[j] += value; });
  for (std::size_t j = 0; j < mean_.size(); ++j)
    into[j] = spread_[j] > 0 ? into[j] / spread_[j] : 0;
}

const std::vector<float>& FeatureLook::means_with(std::uint32_t label,
                                                  const CellProbabilities& probabilities) {
  std::vector<float>& means = with_[label];
  if (!means.empty()) return means;
  const auto& cells = cells_of_label_[label];
  std::vector<double> sum(mean_.size(), 0);
  double all = 1;  // one row that is like all
  std::vector<float> row;
  for_some(cells.size(), kMostOfLabel, [&](std::size_t k) {
    const auto right = static_cast<double>(probabilities.right[cells[k]]);
    standardised(cells_[cells[k]].at.row, row);
    all += right;
    for (std::size_t j = 0; j < row.size(); ++j) sum[j] += right * static_cast<double>(row[j]);
  });
  for (const double one : sum) means.push_back(static_cast<float>(one / all));
  return means;
}

std::vector<TellingFeature> FeatureLook::telling(std::size_t row, std::uint32_t label,
                                                 const CellProbabilities& probabilities,
                                                 std::size_t most) {
  if (mean_.empty()) return {};
  const std::vector<float>& with = means_with(label, probabilities);
  std::vector<float> here;
  standardised(row, here);
  std::vector<std::size_t> order(here.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto weight = [&](std::size_t j) { return static_cast<double>(here[j] * with[j]); };
  const std::size_t kept = std::min(most, order.size());
  std::ranges::partial_sort(
      order, order.begin() + static_cast<std::ptrdiff_t>(kept),
      [&](std::size_t a, std::size_t b) { return std::abs(weight(a)) > std::abs(weight(b)); });
  std::vector<TellingFeature> found;
  for (std::size_t k = 0; k < kept; ++k) {
    const std::size_t j = order[k];
    found.push_back({j, here[j] * spread_[j] + mean_[j], static_cast<double>(mean_[j]), weight(j)});
  }
  return found;
}

std::vector<std::size_t> FeatureLook::nearest(std::size_t row, std::uint32_t label,
                                              std::span<const std::size_t> first,
                                              std::size_t most) {
  if (mean_.empty()) return {};
  std::vector<float> here, there;
  standardised(row, here);
  return nearest_rows(row, first, cells_, cells_of_label_[label], most, [&](std::size_t other) {
    standardised(other, there);
    float dot = 0, length = 1e-12F;
    for (std::size_t j = 0; j < here.size(); ++j) {
      dot += here[j] * there[j];
      length += there[j] * there[j];
    }
    return static_cast<double>(dot / std::sqrt(length));
  });
}

}  // namespace sieve
