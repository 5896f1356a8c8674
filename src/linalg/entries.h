#pragma once

#include <bit>
#include <cstdint>
#include <span>

#include "labelsieve/matrix.h"
#include "linalg/paging.h"

namespace sieve {

// The one value that sparse storage leaves out; -0 is another.
inline bool is_plain_zero(float value) {
  return std::bit_cast<std::uint32_t>(value) == 0;
}

// Calls visit(column, value) for each stored entry of a row: all when dense.
template <class Visit>
void for_each_entry(const Features& x, std::size_t row, Visit&& visit) {
  RowRoom room;
  const RowEntries entries = x.row(row, room);
  if (entries.columns != nullptr)
    for (std::size_t e = 0; e < entries.count; ++e)
      visit(std::size_t{entries.columns[e]}, entries.values[e]);
  else
    for (std::size_t j = 0; j < entries.count; ++j) visit(j, entries.values[j]);
}

// Calls visit(i) for each row from the first to the last, and gives mapped memory back on the way.
template <class Visit>
void for_each_row(const Features& x, Visit&& visit) {
  for (std::size_t i = 0; i < x.rows(); ++i) {
    visit(i);
    if ((i + 1) % kWindowRows == 0 || i + 1 == x.rows()) give_back(x);
  }
}

// y += a x
inline void axpy(double a, std::span<const double> x, std::span<double> y) {
  for (std::size_t k = 0; k < x.size(); ++k) y[k] += a * x[k];
}

// Calls visit(column, value) for the entries of a row that are not plain zeros, ascending.
template <class Visit>
void for_each_nonzero(const Features& features, std::size_t row, Visit&& visit) {
  for_each_entry(features, row, [&](std::size_t column, float value) {
    if (!is_plain_zero(value)) visit(column, value);
  });
}

}  // namespace sieve
