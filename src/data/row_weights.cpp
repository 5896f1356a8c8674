#include <algorithm>
#include <cmath>
#include <compare>
#include <functional>
#include <numeric>
#include <string>
#include <utility>

#include "labelsieve/dataset.h"
#include "labelsieve/error.h"

namespace sieve {
namespace {

constexpr double kMostRepeated = 1e9;  // rows

void check_weights(const TrainingData& data, std::span<const double> weights) {
  if (weights.size() != data.rows())
    throw Error(Failure::Data, "there are " + std::to_string(weights.size()) + " weights for " +
                                   std::to_string(data.rows()) + " rows");
  for (std::size_t i = 0; i < weights.size(); ++i)
    if (!(weights[i] >= 0) || !std::isfinite(weights[i]))
      throw Error(Failure::Data, "the weight of row " + std::to_string(i + 1) +
                                     " (counting from 1) is not a number from 0 on");
  if (std::ranges::all_of(weights, [](double weight) { return weight == 0; }))
    throw Error(Failure::Data, "no row counts: all weights are 0");
}

// Rows by their numbers, whether they are stored dense or sparse.
std::partial_ordering compare_rows(const RowEntries& a, const RowEntries& b) {
  const auto column = [](const RowEntries& row, std::size_t e) {
    return row.columns != nullptr ? std::size_t{row.columns[e]} : e;
  };
  for (std::size_t i = 0, j = 0; i < a.count || j < b.count;) {
    const bool in_a = i < a.count && (j == b.count || column(a, i) <= column(b, j));
    const bool in_b = j < b.count && (i == a.count || column(b, j) <= column(a, i));
    const float left = in_a ? a.values[i++] : 0.0F, right = in_b ? b.values[j++] : 0.0F;
    if (left != right) return left <=> right;
  }
  return std::partial_ordering::equivalent;
}

// Sorts rows by features, candidates, probabilities and weight: those that are alike in all of them
// may stand in any order.
class ByContent {
 public:
  ByContent(const TrainingData& data, std::span<const double> weights)
      : data_(data), weights_(weights) {
    RowRoom room;
    for (std::size_t i = 0; i < data.rows(); ++i) {
      const RowEntries row = data.features.row(i, room);
      const bool stored = row.count > 0 && (row.columns == nullptr || row.columns[0] == 0);
      firsts_.push_back(stored ? row.values[0] : 0.0F);
    }
  }

  bool operator()(std::size_t a, std::size_t b) {
    // Most rows differ in the first feature already.
    if (firsts_[a] != firsts_[b]) return firsts_[a] < firsts_[b];
    const auto features =
        compare_rows(data_.features.row(a, room_a_), data_.features.row(b, room_b_));
    if (features != 0) return features < 0;
    for (std::size_t k = 0; k < data_.labels(); ++k) {
      const std::pair left = cell(a, k), right = cell(b, k);
      if (left != right) return left < right;
    }
    return weights_[a] < weights_[b];
  }

 private:
  std::pair<bool, float> cell(std::size_t row, std::size_t label) const {
    return {data_.candidates.get(row, label),
            data_.probabilities ? (*data_.probabilities)(row, label) : 0.0F};
  }

  const TrainingData& data_;
  std::span<const double> weights_;
  std::vector<float> firsts_;
  RowRoom room_a_, room_b_;
};

bool all_alike(std::span<const double> weights) {
  return std::ranges::all_of(weights, [&](double weight) { return weight == weights[0]; });
}

// Those of weight above 0.
std::vector<std::size_t> rows_by_content(const TrainingData& data,
                                         std::span<const double> weights) {
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < weights.size(); ++i)
    if (weights[i] > 0) rows.push_back(i);
  ByContent order(data, weights);
  std::ranges::stable_sort(rows, std::ref(order));
  return rows;
}

}  // namespace

TrainingData with_weights(TrainingData data, std::span<const double> weights) {
  check_weights(data, weights);
  if (all_alike(weights)) return data;
  const std::vector<std::size_t> rows = rows_by_content(data, weights);
  TrainingData out = data.subset(rows);
  double sum = 0;
  for (const std::size_t row : rows) sum += weights[row] / static_cast<double>(rows.size());
  std::vector<float> own;
  for (const std::size_t row : rows) own.push_back(static_cast<float>(weights[row] / sum));
  if (!std::ranges::all_of(own, [](float weight) { return weight > 0; }))
    throw Error(Failure::Data, "some weights are too small beside others");
  if (!std::ranges::all_of(own, [&](float weight) { return weight == own[0]; }))
    out.weights = std::make_shared<const std::vector<float>>(std::move(own));
  return out;
}

std::optional<TrainingData> with_rows_repeated(TrainingData data, std::span<const double> weights) {
  check_weights(data, weights);
  if (all_alike(weights)) return data;
  if (!std::ranges::all_of(weights, [](double weight) { return weight == std::floor(weight); }))
    return std::nullopt;
  if (std::accumulate(weights.begin(), weights.end(), 0.0) > kMostRepeated)
    throw Error(Failure::Data, "the weights add up to more than a thousand million rows", {},
                "divide all of them by the same number");
  std::vector<std::size_t> rows;
  for (const std::size_t row : rows_by_content(data, weights))
    rows.insert(rows.end(), static_cast<std::size_t>(weights[row]), row);
  return data.subset(rows);
}

}  // namespace sieve
