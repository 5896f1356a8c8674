#pragma once

#include <span>
#include <vector>

#include "labelsieve/matrix.h"
#include "labelsieve/prepare.h"

// Scaling as methods want it. Zeros of sparse features count like any value here, so a dense and a
// sparse copy of the same numbers are treated alike.
namespace sieve {

// Error(Data) unless the rows have as many features as what was fitted.
void require_features(const Features& x, std::size_t fitted);

// Min-max scaling to [-1, 1] and the mean of each scaled feature. Networks see scaled features
// minus their mean (or, not centred, the scaled features alone).
struct InputScaling {
  Scaler scaler;
  std::vector<float> mean;  // of x * factor, in which the offset cancels; not centred: -offset
};
// Common: of sparse rows with more than 1,024 features, only the most common ones have their mean
// taken off, as many as 16 rows hold. That of a rare feature is nearly 0, and to take off all of
// them would make every row as long as there are features.
enum class Centring { None, Common, All };
InputScaling fit_input_scaling(const Features& x, Centring centring);

// A linear map a feature to a range of width 2 around a mean of 0.
Scaler fit_centred_scaler(const Features& x);

// A scaled copy of rows: x + shift. Sparse rows stay sparse and lack the offset of the map, which
// is kept beside them; for dense rows the shift is 0.
struct ScaledRows {
  Features x;
  std::vector<double> shift;  // one per feature

  std::size_t rows() const { return x.rows(); }
  ScaledRows select(std::span<const std::size_t> rows) const {
    return {x.select_rows(rows), shift};
  }
};
// Error(Data) if the number of features is not that of the scaler.
ScaledRows scaled_rows(const Features& x, const Scaler& scaler);

}  // namespace sieve
