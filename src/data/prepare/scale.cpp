#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "data/prepare/scaling.h"
#include "labelsieve/error.h"
#include "labelsieve/options.h"
#include "linalg/entries.h"

namespace sieve {
namespace {

constexpr double kNarrowest = 1e-30;  // methods take a narrower range for constant
constexpr std::size_t kFewFeatures = 1024, kCommonRows = 16;  // see Centring::Common

template <class Visit>
void for_each_entry(const Features& x, Visit&& visit) {
  for_each_row(x, [&](std::size_t i) { for_each_entry(x, i, visit); });
}

struct Column {
  double low = 0, high = 0, sum = 0;
  std::size_t stored = 0;

  void add(double value) {
    low = stored == 0 ? value : std::min(low, value);
    high = stored == 0 ? value : std::max(high, value);
    sum += value;
    ++stored;
  }
};

std::vector<Column> columns_of(const Features& x) {
  std::vector<Column> columns(x.cols());
  for_each_entry(x, [&](std::size_t j, float value) { columns[j].add(value); });
  for (Column& column : columns) {
    if (column.stored == x.rows()) continue;  // else some rows hold a zero that is not stored
    column.low = std::min(column.low, 0.0);
    column.high = std::max(column.high, 0.0);
  }
  return columns;
}

// Sums of squared distances to the mean, in a pass of their own: subtracting the mean first keeps
// the digits that sum(x^2) would lose.
std::vector<double> squares_of(const Features& x, const std::vector<Column>& columns) {
  const double rows = static_cast<double>(x.rows());
  std::vector<double> squares;
  for (const Column& column : columns) {
    const double mean = column.sum / rows;
    squares.push_back(static_cast<double>(x.rows() - column.stored) * mean * mean);
  }
  for_each_entry(x, [&](std::size_t j, float value) {
    const double distance = value - columns[j].sum / rows;
    squares[j] += distance * distance;
  });
  return squares;
}

// Columns that are stored at least this often are common.
std::size_t common_count(const Features& x, const std::vector<Column>& columns) {
  if (!x.is_sparse() || columns.size() <= kFewFeatures) return 0;
  std::vector<std::size_t> counts;
  std::size_t entries = 0;
  for (const Column& column : columns) {
    counts.push_back(column.stored);
    entries += column.stored;
  }
  const std::size_t most = kCommonRows * entries / std::max<std::size_t>(x.rows(), 1);
  if (most >= counts.size()) return 0;
  const auto first_rare = counts.begin() + static_cast<std::ptrdiff_t>(most);
  std::nth_element(counts.begin(), first_rare, counts.end(), std::greater<>());
  return *first_rare + 1;  // of those that are equally common, all or none
}

struct Map {
  double factor = 0, offset = 0;
};

Map to_unit_range(const Column& column, bool sparse) {
  if (sparse) return {1 / std::max(-column.low, column.high), 0};
  const double width = column.high - column.low;
  return {2 / width, -(column.high + column.low) / width};
}

Map to_unit_variance(const Column& column, double squares, double rows) {
  const double deviation = std::sqrt(squares / rows);
  return {1 / deviation, -column.sum / rows / deviation};
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
  const std::vector<Column> columns = columns_of(x);
  std::vector<double> squares;
  if (scaling == Scaling::Standardise) squares = squares_of(x, columns);
  for (std::size_t j = 0; j < columns.size(); ++j) {
    Map map;
    if (columns[j].low != columns[j].high)
      map = squares.empty()
                ? to_unit_range(columns[j], x.is_sparse())
                : to_unit_variance(columns[j], squares[j], static_cast<double>(x.rows()));
    // A spread too small to divide by in float32 counts as none.
    if (!std::isfinite(static_cast<float>(map.factor))) map = {};
    scaler.factor.push_back(static_cast<float>(map.factor));
    scaler.offset.push_back(x.is_sparse() ? 0.0F : static_cast<float>(map.offset));
  }
  return scaler;
}

void require_features(const Features& x, std::size_t fitted) {
  if (x.cols() != fitted)
    throw Error(
        Failure::Data,
        fmt::format("the model was trained on {} features, but the data has {}", fitted, x.cols()),
        {}, "give it data with the features it was trained on; see: " + term("Model::state"));
}

void Scaler::apply(Features& x) const {
  if (scaling == Scaling::None) return;
  require_features(x, factor.size());
  if (!x.is_sparse()) return apply_dense(*this, x.dense());
  if (std::ranges::any_of(offset, [](float value) { return value != 0; }))
    throw Error(Failure::Data, "the scaling was fitted on dense features, but these are sparse", {},
                "store both parts densely or both sparsely");
  apply_sparse(*this, x.sparse());
}

InputScaling fit_input_scaling(const Features& x, Centring centring) {
  InputScaling out;
  out.scaler.scaling = Scaling::MinMax;
  const auto rows = static_cast<double>(std::max<std::size_t>(x.rows(), 1));
  const std::vector<Column> columns = columns_of(x);
  const std::size_t common = centring == Centring::Common ? common_count(x, columns) : 0;
  for (const Column& column : columns) {
    const double width = column.high - column.low;
    const double factor = width > kNarrowest ? 2 / width : 0;
    out.scaler.factor.push_back(static_cast<float>(factor));
    out.scaler.offset.push_back(static_cast<float>(factor > 0 ? -1 - factor * column.low : 0));
    const bool rare = column.stored < common;
    out.mean.push_back(centring == Centring::None ? -out.scaler.offset.back()
                       : rare                     ? 0.0F
                                                  : static_cast<float>(factor * column.sum / rows));
  }
  return out;
}

Scaler fit_centred_scaler(const Features& x) {
  InputScaling scaling = fit_input_scaling(x, Centring::All);
  for (std::size_t j = 0; j < scaling.mean.size(); ++j) scaling.scaler.offset[j] = -scaling.mean[j];
  return std::move(scaling.scaler);
}

ScaledRows scaled_rows(const Features& x, const Scaler& scaler) {
  ScaledRows out{x, std::vector<double>(scaler.offset.size())};
  Scaler map = scaler;
  if (x.is_sparse()) {
    std::ranges::copy(scaler.offset, out.shift.begin());
    std::ranges::fill(map.offset, 0.0F);
  }
  map.apply(out.x);
  return out;
}

}  // namespace sieve
