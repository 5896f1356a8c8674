#pragma once

#include <bit>
#include <cstdint>

#include "linalg/entries.h"

namespace sieve {

// The one value that sparse storage leaves out; -0 is another.
inline bool is_plain_zero(float value) {
  return std::bit_cast<std::uint32_t>(value) == 0;
}

// Calls visit(column, value) for the entries of a row that are not plain zeros, ascending.
template <class Visit>
void for_each_nonzero(const Features& features, std::size_t row, Visit&& visit) {
  for_each_entry(features, row, [&](std::size_t column, float value) {
    if (!is_plain_zero(value)) visit(column, value);
  });
}

}  // namespace sieve
