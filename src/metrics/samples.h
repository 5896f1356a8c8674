#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace sieve {

// Error(Usage) for fewer than 2 values, Error(Data) if one is NaN or beyond 1e150.
void check_sample(std::span<const double> values);

// a[i] - b[i], after checking both and that their sizes match.
std::vector<double> differences(std::span<const double> a, std::span<const double> b);

struct RankedValues {
  std::vector<double> of;                // from 1 (smallest); equal values share their mean rank
  std::vector<std::size_t> group_sizes;  // how many values are equal, smallest first
};
RankedValues rank_values(std::span<const double> values);

}  // namespace sieve
