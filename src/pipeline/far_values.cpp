#include "pipeline/far_values.h"

#include <cmath>

namespace sieve {
namespace {

// Scaled values of the training rows lie within 1 (2, where the mean is 0), or deviate by 1.
double farthest(Scaling scaling) {
  return scaling == Scaling::MinMax ? 5 : 20;
}

}  // namespace

std::vector<std::size_t> FarValues::count(const Features& x) const {
  const Scaler& scaler = model_.scaler;
  if (x.is_sparse() || scaler.scaling == Scaling::None || scaler.factor.size() != x.cols())
    return {};
  const double limit = farthest(scaler.scaling);
  std::vector<std::size_t> far(x.cols());
  std::vector<float> row(x.cols());
  for (std::size_t i = 0; i < x.rows(); ++i) {
    x.copy_row(i, row);
    for (std::size_t j = 0; j < row.size(); ++j)
      far[j] += std::abs(double{row[j]} * scaler.factor[j] + scaler.offset[j]) > limit;
  }
  return far;
}

void FarValues::add(const std::vector<std::size_t>& counts, std::size_t rows) {
  if (counts.empty()) return;
  rows_ += rows;
  far_.resize(counts.size());
  for (std::size_t j = 0; j < counts.size(); ++j) far_[j] += counts[j];
}

std::vector<std::string> FarValues::features() const {
  std::vector<std::string> names;
  for (std::size_t j = 0; j < far_.size(); ++j)
    if (2 * far_[j] > rows_)
      names.push_back(j < model_.feature_names.size() ? model_.feature_names[j]
                                                      : "feature " + std::to_string(j + 1));
  return names;
}

}  // namespace sieve
