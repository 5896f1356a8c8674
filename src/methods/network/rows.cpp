#include "methods/network/rows.h"

#include <algorithm>
#include <string>

#include "labelsieve/error.h"
#include "linalg/entries.h"

namespace sieve {
namespace {

constexpr double kNarrowest = 1e-30;  // a narrower range counts as constant

struct Range {
  float low = 0, high = 0;
  double sum = 0;
};

std::vector<Range> feature_ranges(const PickedRows& x) {
  const std::size_t cols = x.all.cols();
  std::vector<Range> ranges(cols);
  std::vector<std::size_t> seen(cols);
  const auto take = [&](std::size_t j, float value) {
    Range& range = ranges[j];
    range.low = seen[j] == 0 ? value : std::min(range.low, value);
    range.high = seen[j] == 0 ? value : std::max(range.high, value);
    range.sum += value;
    ++seen[j];
  };
  x.for_each([&](std::size_t i) { for_each_entry(x.all, x[i], take); });
  for (std::size_t j = 0; j < cols; ++j) {
    if (seen[j] == x.size()) continue;  // else some rows hold a zero that is not stored
    ranges[j].low = std::min(ranges[j].low, 0.0F);
    ranges[j].high = std::max(ranges[j].high, 0.0F);
  }
  return ranges;
}

}  // namespace

InputScaling fit_input_scaling(const PickedRows& x, bool centred) {
  InputScaling out;
  out.scaler.scaling = Scaling::MinMax;
  const auto rows = static_cast<double>(std::max<std::size_t>(x.size(), 1));
  for (const Range& range : feature_ranges(x)) {
    const double width = static_cast<double>(range.high) - range.low;
    const double factor = width > kNarrowest ? 2 / width : 0;
    out.scaler.factor.push_back(static_cast<float>(factor));
    out.scaler.offset.push_back(static_cast<float>(factor > 0 ? -1 - factor * range.low : 0));
    out.mean.push_back(centred ? static_cast<float>(factor * range.sum / rows)
                               : -out.scaler.offset.back());
  }
  return out;
}

NetRows::NetRows(const PickedRows& x, const InputScaling& scaling)
    : x_(x), factor_(scaling.scaler.factor), mean_(scaling.mean), offset_(scaling.scaler.offset) {
  if (x.all.cols() != factor_.size())
    throw Error(Failure::Data,
                "the rows have " + std::to_string(x.all.cols()) +
                    " features, the model was trained on " + std::to_string(factor_.size()),
                {}, "give the model the same features it was trained on");
  if (!is_sparse()) return;
  csr_ = x.rows.empty() ? x.all.sparse().clone() : std::move(x.all.select_rows(x.rows).sparse());
  for (std::size_t k = 0; k < csr_.values.size(); ++k) csr_.values[k] *= factor_[csr_.columns[k]];
}

Panel<float> NetRows::room(std::size_t rows) const {
  return is_sparse() ? Panel<float>() : Panel<float>(rows, inputs());
}

void NetRows::expect(std::span<const std::size_t> rows) const {
  if (!x_.all.is_mapped() || rows.empty()) return;
  const auto [least, most] = std::ranges::minmax(rows);
  x_.all.give_back();
  x_.all.will_need(x_[least], x_[most] + 1);
}

void NetRows::centred_row(std::size_t i, float* __restrict into) const {
  const float* row = x_.all.dense().row(x_[i]).data();
  const float *factor = factor_.data(), *mean = mean_.data();
  for (std::size_t j = 0; j < mean_.size(); ++j) into[j] = row[j] * factor[j] - mean[j];
}

Input<float> NetRows::batch(std::span<const std::size_t> rows, Panel<float>& room) const {
  Input<float> input;
  if (is_sparse()) {
    input.sparse = &csr_;
    input.sparse_rows = rows;
    input.centre = mean_.data();
    return input;
  }
  for (std::size_t i = 0; i < rows.size(); ++i) centred_row(rows[i], room.row(i));
  input.dense = room.view(rows.size());
  return input;
}

void NetRows::scaled_row(std::size_t i, std::span<float> into) const {
  if (is_sparse()) {
    std::ranges::copy(offset_, into.begin());
    const CsrMatrix::Row row = csr_.row(i);
    for (std::size_t k = 0; k < row.columns.size(); ++k) into[row.columns[k]] += row.values[k];
    return;
  }
  centred_row(i, into.data());
  for (std::size_t j = 0; j < inputs(); ++j) into[j] = into[j] + mean_[j] + offset_[j];
}

std::vector<float> NetRows::scaled_mean() const {
  std::vector<float> mean(inputs());
  for (std::size_t j = 0; j < inputs(); ++j) mean[j] = mean_[j] + offset_[j];
  return mean;
}

double NetRows::total_variance() const {
  const std::vector<float> mean = scaled_mean();
  std::vector<float> row(inputs());
  double sum = 0;
  x_.for_each([&](std::size_t i) {
    scaled_row(i, row);
    for (std::size_t j = 0; j < row.size(); ++j) {
      const double d = static_cast<double>(row[j]) - mean[j];
      sum += d * d;
    }
  });
  return sum / static_cast<double>(std::max<std::size_t>(rows(), 1));
}

}  // namespace sieve
