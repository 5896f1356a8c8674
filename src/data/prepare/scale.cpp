#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "labelsieve/error.h"
#include "labelsieve/prepare.h"
#include "linalg/entries.h"

namespace sieve {
namespace {

template <class Visit>
void for_each_entry(const Features& x, Visit&& visit) {
  for (std::size_t i = 0; i < x.rows(); ++i) for_each_entry(x, i, visit);
}

struct Column {
  double low = 0, high = 0, sum = 0, squares = 0;  // squares: of the distances to the mean
  std::size_t stored = 0;

  void add(double value) {
    low = stored == 0 ? value : std::min(low, value);
    high = stored == 0 ? value : std::max(high, value);
    sum += value;
    ++stored;
  }
};

std::vector<Column> statistics(const Features& x) {
  std::vector<Column> columns(x.cols());
  const double rows = static_cast<double>(x.rows());
  for_each_entry(x, [&](std::size_t j, float value) { columns[j].add(value); });
  for (Column& column : columns) {
    if (column.stored == x.rows()) continue;
    column.low = std::min(column.low, 0.0);
    column.high = std::max(column.high, 0.0);
    const double mean = column.sum / rows;
    column.squares = static_cast<double>(x.rows() - column.stored) * mean * mean;
  }
  // A second pass: subtracting the mean first keeps the digits that sum(x^2) would lose.
  for_each_entry(x, [&](std::size_t j, float value) {
    const double distance = value - columns[j].sum / rows;
    columns[j].squares += distance * distance;
  });
  return columns;
}

struct Map {
  double factor = 0, offset = 0;
};

Map fitted(const Column& column, std::size_t rows, Scaling scaling, bool sparse) {
  if (column.low == column.high) return {};
  if (scaling == Scaling::Standardise) {
    const double deviation = std::sqrt(column.squares / static_cast<double>(rows));
    return {1 / deviation, -column.sum / static_cast<double>(rows) / deviation};
  }
  if (sparse) return {1 / std::max(-column.low, column.high), 0};
  const double width = column.high - column.low;
  return {2 / width, -(column.high + column.low) / width};
}

void apply_dense(const Scaler& scaler, Matrix& x) {
  for (std::size_t i = 0; i < x.rows(); ++i) {
    const std::span<float> row = x.row(i);
    for (std::size_t j = 0; j < row.size(); ++j)
      row[j] = static_cast<float>(static_cast<double>(row[j]) * scaler.factor[j] +
                                  static_cast<double>(scaler.offset[j]));
  }
}

// Entries that become 0 leave the storage, which holds no zeros.
void apply_sparse(const Scaler& scaler, CsrMatrix& x) {
  std::size_t kept = 0;
  for (std::size_t i = 0, e = 0; i < x.rows(); ++i) {
    for (const std::size_t last = x.starts[i + 1]; e < last; ++e) {
      const float value = x.values[e] * scaler.factor[x.columns[e]];
      if (value == 0) continue;
      x.columns[kept] = x.columns[e];
      x.values[kept++] = value;
    }
    x.starts[i + 1] = kept;
  }
  x.columns.resize(kept);
  x.values.resize(kept);
}

}  // namespace

Scaler fit_scaler(const Features& x, Scaling scaling) {
  Scaler scaler{scaling, {}, {}};
  if (scaling == Scaling::None) return scaler;
  for (const Column& column : statistics(x)) {
    Map map = fitted(column, x.rows(), scaling, x.is_sparse());
    // A spread too small to divide by in float32 counts as none.
    if (!std::isfinite(static_cast<float>(map.factor))) map = {};
    scaler.factor.push_back(static_cast<float>(map.factor));
    scaler.offset.push_back(x.is_sparse() ? 0.0F : static_cast<float>(map.offset));
  }
  return scaler;
}

void Scaler::apply(Features& x) const {
  if (scaling == Scaling::None) return;
  if (x.cols() != factor.size())
    throw Error(Failure::Data,
                fmt::format("the scaling was fitted on {} features, but here are {}", factor.size(),
                            x.cols()),
                {}, "scale only data with the features of the training part");
  if (!x.is_sparse()) return apply_dense(*this, x.dense());
  if (std::ranges::any_of(offset, [](float value) { return value != 0; }))
    throw Error(Failure::Data, "the scaling was fitted on dense features, but these are sparse", {},
                "store both parts densely or both sparsely");
  apply_sparse(*this, x.sparse());
}

}  // namespace sieve
