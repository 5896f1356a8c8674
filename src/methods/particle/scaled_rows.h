#pragma once

#include <span>
#include <vector>

#include "labelsieve/matrix.h"
#include "labelsieve/prepare.h"

namespace sieve {

// The rows of a data set scaled to [-1, 1]. Dense rows are written out; sparse rows stay sparse and
// lack the offset of the map, which is kept beside them: a scaled row is x + shift in both cases.
struct ScaledRows {
  Features x;
  std::vector<double> shift;  // zeros when dense

  std::size_t rows() const { return x.rows(); }
  ScaledRows select(std::span<const std::size_t> rows) const {
    return {x.select_rows(rows), shift};
  }
};

// Error(Data) if the number of features is not that of the scaler.
ScaledRows scaled_rows(const Features& x, const Scaler& scaler);

}  // namespace sieve
