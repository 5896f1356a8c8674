#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "labelsieve/matrix.h"
#include "labelsieve/threads.h"

namespace sieve {

// The nearest points of each query, the nearest first; among equals the smaller index first.
struct Neighbours {
  std::size_t count = 0;             // a query has this many
  std::vector<std::uint32_t> index;  // queries x count
  std::vector<double> distance;      // Euclidean, not squared

  std::span<const std::uint32_t> of(std::size_t query) const {
    return {index.data() + query * count, count};
  }
  std::span<const double> distances(std::size_t query) const {
    return {distance.data() + query * count, count};
  }
};

// Whether query i may have point i as a neighbour.
enum class Self { Allowed, Excluded };

// The k nearest points of every query (all points, if there are fewer). Exact: approximate products
// only sort out points that their error bound proves too far, the rest is measured in float64. The
// same bits for any number of threads and for dense and sparse copies of the same numbers. Both
// sides must have the same storage and number of columns. Time O(queries * points * cols) in blocks
// of matrix products (sparse: over the columns that both rows hold); memory a few blocks a thread,
// and for sparse points a copy of them by column. Error(Interrupted) after a stop request.
Neighbours nearest_neighbours(const Features& queries, const Features& points, std::size_t k,
                              Self self, ThreadPool& pool, Progress& progress);

}  // namespace sieve
