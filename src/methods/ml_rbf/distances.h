#pragma once

#include <span>
#include <vector>

#include "labelsieve/matrix.h"

namespace sieve {

// Squared Euclidean distances from rows to centres, in float64; sparse rows stay sparse. Keeps a
// reference to the rows.
class Distances {
 public:
  Distances(const Features& x, const MatrixD& centres);

  std::vector<double> room() const;  // for the distances of one row: one a centre, and padding
  void squares(std::size_t row, std::span<double> out) const;

 private:
  const Features& x_;
  MatrixD columns_;              // features x centres, padded
  std::vector<double> lengths_;  // squared, one a centre, padded
};

}  // namespace sieve
