#pragma once

#include <vector>

#include "labelsieve/matrix.h"
#include "labelsieve/prepare.h"

namespace sieve {

// Scaled rows x_i = stored entries + shift: sparse rows stay sparse though no entry of x_i is 0.
// For dense rows the shift is 0.
struct ShiftedRows {
  Features stored;
  std::vector<double> shift;  // one a feature
};

// A linear map a feature to a range of width 2 around a mean of 0. Zeros of sparse features count
// like any value, so a dense and a sparse copy of the same numbers are mapped alike.
Scaler fit_centred_scaler(const Features& x);

// Error(Data) if the number of features is not that of the scaler.
ShiftedRows shifted_rows(const Features& x, const Scaler& scaler);

}  // namespace sieve
