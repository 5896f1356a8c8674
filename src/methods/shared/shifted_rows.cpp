#include "methods/shared/shifted_rows.h"

#include <algorithm>

#include "methods/network/rows.h"

namespace sieve {

Scaler fit_centred_scaler(const Features& x) {
  InputScaling scaling = fit_input_scaling(x, true);
  for (std::size_t j = 0; j < scaling.mean.size(); ++j) scaling.scaler.offset[j] = -scaling.mean[j];
  return std::move(scaling.scaler);
}

ShiftedRows shifted_rows(const Features& x, const Scaler& scaler) {
  ShiftedRows out{x.clone(), std::vector<double>(scaler.offset.size())};
  Scaler map = scaler;
  if (x.is_sparse()) {
    std::ranges::copy(scaler.offset, out.shift.begin());
    std::ranges::fill(map.offset, 0.0F);
  }
  map.apply(out.stored);
  return out;
}

}  // namespace sieve
