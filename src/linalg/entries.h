#pragma once

#include <span>

#include "labelsieve/matrix.h"

namespace sieve {

// Calls visit(column, value) for each stored entry of a row: all when dense.
template <class Visit>
void for_each_entry(const Features& x, std::size_t row, Visit&& visit) {
  if (x.is_sparse()) {
    const CsrMatrix::Row entries = x.sparse().row(row);
    for (std::size_t e = 0; e < entries.columns.size(); ++e)
      visit(std::size_t{entries.columns[e]}, entries.values[e]);
  } else {
    const std::span<const float> entries = x.dense().row(row);
    for (std::size_t j = 0; j < entries.size(); ++j) visit(j, entries[j]);
  }
}

// y += a x
inline void axpy(double a, std::span<const double> x, std::span<double> y) {
  for (std::size_t k = 0; k < x.size(); ++k) y[k] += a * x[k];
}

}  // namespace sieve
