#include "methods/network/rows.h"

#include <algorithm>
#include <string>

#include "labelsieve/error.h"

namespace sieve {
namespace {

constexpr double kNarrowest = 1e-30;  // a narrower range counts as constant

struct Range {
  float low = 0, high = 0;
  double sum = 0;
};

std::vector<Range> feature_ranges(const Features& x) {
  std::vector<Range> ranges(x.cols());
  std::vector<std::size_t> seen(x.cols());
  const auto take = [&](std::size_t j, float value) {
    Range& range = ranges[j];
    range.low = seen[j] == 0 ? value : std::min(range.low, value);
    range.high = seen[j] == 0 ? value : std::max(range.high, value);
    range.sum += value;
    ++seen[j];
  };
  for (std::size_t i = 0; i < x.rows(); ++i) {
    if (x.is_sparse()) {
      const CsrMatrix::Row row = x.sparse().row(i);
      for (std::size_t k = 0; k < row.columns.size(); ++k) take(row.columns[k], row.values[k]);
    } else {
      for (std::size_t j = 0; j < x.cols(); ++j) take(j, x.dense()(i, j));
    }
  }
  for (std::size_t j = 0; j < x.cols(); ++j) {
    if (seen[j] == x.rows()) continue;  // else some rows hold a zero that is not stored
    ranges[j].low = std::min(ranges[j].low, 0.0F);
    ranges[j].high = std::max(ranges[j].high, 0.0F);
  }
  return ranges;
}

}  // namespace

InputScaling fit_input_scaling(const Features& x, bool centred) {
  InputScaling out;
  out.scaler.scaling = Scaling::MinMax;
  const auto rows = static_cast<double>(std::max<std::size_t>(x.rows(), 1));
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

NetRows::NetRows(const Features& x, const InputScaling& scaling)
    : sparse_(x.is_sparse()), mean_(scaling.mean), offset_(scaling.scaler.offset) {
  const std::vector<float>& factor = scaling.scaler.factor;
  if (x.cols() != factor.size())
    throw Error(Failure::Data,
                "the rows have " + std::to_string(x.cols()) +
                    " features, the model was trained on " + std::to_string(factor.size()),
                {}, "give the model the same features it was trained on");
  if (sparse_) {
    csr_ = x.sparse().clone();
    for (std::size_t k = 0; k < csr_.values.size(); ++k) csr_.values[k] *= factor[csr_.columns[k]];
    return;
  }
  dense_ = Panel<float>(x.rows(), x.cols());
  for (std::size_t i = 0; i < x.rows(); ++i)
    for (std::size_t j = 0; j < x.cols(); ++j)
      dense_(i, j) = x.dense()(i, j) * factor[j] - mean_[j];
}

Panel<float> NetRows::room(std::size_t rows) const {
  return sparse_ ? Panel<float>() : Panel<float>(rows, inputs());
}

Input<float> NetRows::batch(std::span<const std::size_t> rows, Panel<float>& room) const {
  Input<float> input;
  if (sparse_) {
    input.sparse = &csr_;
    input.sparse_rows = rows;
    input.centre = mean_.data();
    return input;
  }
  for (std::size_t i = 0; i < rows.size(); ++i)
    std::copy_n(dense_.row(rows[i]), dense_.stride(), room.row(i));
  input.dense = room.view(rows.size());
  return input;
}

void NetRows::scaled_row(std::size_t i, std::span<float> into) const {
  if (sparse_) {
    std::ranges::copy(offset_, into.begin());
    const CsrMatrix::Row row = csr_.row(i);
    for (std::size_t k = 0; k < row.columns.size(); ++k) into[row.columns[k]] += row.values[k];
    return;
  }
  for (std::size_t j = 0; j < inputs(); ++j) into[j] = dense_(i, j) + mean_[j] + offset_[j];
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
  for (std::size_t i = 0; i < rows(); ++i) {
    scaled_row(i, row);
    for (std::size_t j = 0; j < row.size(); ++j) {
      const double d = static_cast<double>(row[j]) - mean[j];
      sum += d * d;
    }
  }
  return sum / static_cast<double>(std::max<std::size_t>(rows(), 1));
}

}  // namespace sieve
