#pragma once

#include "linalg/entries.h"

namespace sieve {

// Calls visit(column, value) for the entries of a row that are not plain zeros, ascending.
template <class Visit>
void for_each_nonzero(const Features& features, std::size_t row, Visit&& visit) {
  for_each_entry(features, row, [&](std::size_t column, float value) {
    if (!is_plain_zero(value)) visit(column, value);
  });
}

}  // namespace sieve
