#include "methods/network/rows.h"

#include <algorithm>
#include <numeric>

#include "data/prepare/shuffled.h"
#include "linalg/entries.h"
#include "linalg/paging.h"

namespace sieve {

BatchRoom::BatchRoom(bool is_sparse, std::size_t rows, std::size_t inputs) {
  if (!is_sparse) {
    dense = Panel<float>(rows, inputs);
    return;
  }
  sparse.cols = inputs;
  places.resize(rows);
  std::iota(places.begin(), places.end(), std::size_t{0});
}

NetRows::NetRows(Features x, const InputScaling& scaling)
    : x_(std::move(x)),
      factor_(scaling.scaler.factor),
      mean_(scaling.mean),
      offset_(scaling.scaler.offset) {
  require_features(x_, factor_.size());
  for (std::size_t j = 0; is_sparse() && j < mean_.size(); ++j)
    if (mean_[j] != 0) centred_.push_back(static_cast<std::uint32_t>(j));
  if (centred_.size() == mean_.size()) centred_.clear(), all_centred_ = true;
}

void NetRows::centred_row(RowEntries row, float* __restrict into) const {
  const float *values = row.values, *factor = factor_.data(), *mean = mean_.data();
  for (std::size_t j = 0; j < mean_.size(); ++j) into[j] = values[j] * factor[j] - mean[j];
}

// Times factor, not centred.
void NetRows::gather_sparse(std::span<const std::size_t> rows, BatchRoom& room) const {
  CsrMatrix& to = room.sparse;
  RowRoom narrow;
  to.starts.resize(rows.size() + 1);
  std::size_t size = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const RowEntries row = x_.row(rows[i], narrow);
    if (to.values.size() < size + row.count) {
      to.columns.resize(size + row.count);
      to.values.resize(size + row.count);
    }
    for (std::size_t e = 0; e < row.count; ++e, ++size) {
      to.columns[size] = row.columns[e];
      to.values[size] = row.values[e] * factor_[row.columns[e]];
    }
    to.starts[i + 1] = size;
  }
}

Input<float> NetRows::batch(std::span<const std::size_t> rows, BatchRoom& room) const {
  Input<float> input;
  if (is_sparse()) {
    gather_sparse(rows, room);
    input.sparse = &room.sparse;
    input.sparse_rows = {room.places.data(), rows.size()};
    if (all_centred_ || !centred_.empty()) input.centre = mean_.data();
    input.centred = centred_;
    return input;
  }
  RowRoom narrow;
  for (std::size_t i = 0; i < rows.size(); ++i)
    centred_row(x_.row(rows[i], narrow), room.dense.row(i));
  input.dense = room.dense.view(rows.size());
  return input;
}

void NetRows::scaled_row(std::size_t i, std::span<float> into) const {
  RowRoom narrow;
  const RowEntries row = x_.row(i, narrow);
  if (is_sparse()) {
    std::ranges::copy(offset_, into.begin());
    for (std::size_t e = 0; e < row.count; ++e)
      into[row.columns[e]] += row.values[e] * factor_[row.columns[e]];
    return;
  }
  centred_row(row, into.data());
  for (std::size_t j = 0; j < inputs(); ++j) into[j] = into[j] + mean_[j] + offset_[j];
}

std::vector<float> NetRows::scaled_mean() const {
  std::vector<float> mean(inputs());
  for (std::size_t j = 0; j < inputs(); ++j) mean[j] = mean_[j] + offset_[j];
  return mean;
}

// Of a sparse row: what a row of zeros would have, and what its entries make of it.
double NetRows::sparse_variance() const {
  double zeros = 0, sum = 0;
  for (const float m : mean_) zeros += static_cast<double>(m) * m;
  for_each_row(x_, [&](std::size_t i) {
    sum += zeros;
    for_each_entry(x_, i, [&](std::size_t j, float value) {
      const double scaled = static_cast<double>(value * factor_[j]);
      sum += scaled * (scaled - 2 * static_cast<double>(mean_[j]));
    });
  });
  return sum / static_cast<double>(std::max<std::size_t>(rows(), 1));
}

double NetRows::total_variance() const {
  if (is_sparse()) return sparse_variance();
  const std::vector<float> mean = scaled_mean();
  std::vector<float> row(inputs());
  double sum = 0;
  for_each_row(x_, [&](std::size_t i) {
    scaled_row(i, row);
    for (std::size_t j = 0; j < row.size(); ++j) {
      const double d = static_cast<double>(row[j]) - mean[j];
      sum += d * d;
    }
  });
  return sum / static_cast<double>(std::max<std::size_t>(rows(), 1));
}

std::vector<std::size_t> windowed_order(std::span<const std::size_t> rows, std::uint64_t seed,
                                        std::uint64_t epoch) {
  const std::size_t windows = (rows.size() + kWindowRows - 1) / kWindowRows;
  Random among_windows(seed, Purpose::Shuffle, epoch, windows);
  std::vector<std::size_t> order;
  order.reserve(rows.size());
  for (const std::size_t w : shuffled_indices(windows, among_windows)) {
    const std::size_t first = w * kWindowRows;
    const std::size_t begin = order.size();
    const auto window = rows.subspan(first, std::min(kWindowRows, rows.size() - first));
    order.insert(order.end(), window.begin(), window.end());
    Random(seed, Purpose::Shuffle, epoch, w).shuffle(std::span(order).subspan(begin));
  }
  return order;
}

}  // namespace sieve
