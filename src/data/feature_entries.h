#pragma once

#include <bit>
#include <cstdint>

#include "labelsieve/matrix.h"

namespace sieve {

// The one value that sparse storage leaves out; -0 is another.
inline bool is_plain_zero(float value) {
  return std::bit_cast<std::uint32_t>(value) == 0;
}

// Calls visit(column, value) for the entries of a row that are not plain zeros, ascending.
template <class Visit>
void for_each_entry(const Features& features, std::size_t row, Visit&& visit) {
  if (features.is_sparse()) {
    const CsrMatrix::Row entries = features.sparse().row(row);
    for (std::size_t k = 0; k < entries.columns.size(); ++k)
      visit(std::size_t{entries.columns[k]}, entries.values[k]);
    return;
  }
  const auto values = features.dense().row(row);
  for (std::size_t j = 0; j < values.size(); ++j)
    if (!is_plain_zero(values[j])) visit(j, values[j]);
}

}  // namespace sieve
