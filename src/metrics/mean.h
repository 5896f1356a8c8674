#pragma once

#include <cstddef>
#include <limits>
#include <optional>

#include "labelsieve/metrics.h"

namespace sieve {

// A mean over rows or labels, some of which may be left out.
class Mean {
 public:
  void add(double value) {
    // Kahan summation: a million rows lose no more digits than ten.
    const double term = value - lost_, sum = sum_ + term;
    lost_ = (sum - sum_) - term;
    sum_ = sum;
    ++used_;
  }
  void skip() { ++skipped_; }
  void add(std::optional<double> value) { value ? add(*value) : skip(); }

  Measured measured() const {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    return {used_ == 0 ? nan : sum_ / static_cast<double>(used_), used_, skipped_};
  }

 private:
  double sum_ = 0, lost_ = 0;
  std::size_t used_ = 0, skipped_ = 0;
};

// The value of a pooled measure: all `count` items were used, or none if it is undefined.
inline Measured pooled(std::optional<double> value, std::size_t count) {
  if (value && count > 0) return {*value, count, 0};
  return {std::numeric_limits<double>::quiet_NaN(), 0, count};
}

}  // namespace sieve
