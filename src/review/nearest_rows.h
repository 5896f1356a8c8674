#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "review/cells.h"

namespace sieve {

// The rows most like `row`, the nearest first, at most `most`: among `first` and some rows of these
// cells, evenly spread. likeness(other) is larger for nearer ones.
template <class Likeness>
std::vector<std::size_t> nearest_rows(std::size_t row, std::span<const std::size_t> first,
                                      const ReviewCells& all, std::span<const std::uint32_t> cells,
                                      std::size_t most, Likeness&& likeness) {
  constexpr std::size_t kCompared = 600;
  std::vector<std::size_t> rows(first.begin(), first.end());
  const std::size_t some = std::min(cells.size(), kCompared);
  for (std::size_t k = 0; k < some; ++k) rows.push_back(all[cells[k * cells.size() / some]].at.row);
  std::ranges::sort(rows);
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
  std::erase(rows, row);
  std::vector<std::pair<double, std::size_t>> near;
  for (const std::size_t other : rows) near.emplace_back(-likeness(other), other);
  const std::size_t kept = std::min(most, near.size());
  std::ranges::partial_sort(near, near.begin() + static_cast<std::ptrdiff_t>(kept));
  std::vector<std::size_t> found;
  for (std::size_t k = 0; k < kept; ++k) found.push_back(near[k].second);
  return found;
}

}  // namespace sieve
