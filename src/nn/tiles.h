#pragma once

#include <algorithm>
#include <cstddef>

#include "labelsieve/matrix.h"
#include "linalg/compute.h"
#include "nn/kernels.h"

// How layers of very many features are cut up: into tiles of features, and the rows of a batch
// inside a tile, so that what is worked on stays in the cache. Fixed numbers: nothing here may
// depend on the number of threads.
namespace sieve {

constexpr std::size_t kTileFeatures = 256;
constexpr std::size_t kTileRows = 256;
// Sums over features are taken in this many groups of neighbouring tiles, then over the groups.
constexpr std::size_t kTileGroups = 16;

struct Tile {
  std::size_t index, first, count;  // features [first, first + count)
};

constexpr std::size_t tile_count(std::size_t features) {
  return (features + kTileFeatures - 1) / kTileFeatures;
}

// Calls body(group, tile) for every tile. Those of one group come one after the other.
template <class Body>
void for_tiles(ThreadPool& pool, std::size_t features, const Body& body) {
  const std::size_t tiles = tile_count(features);
  compute(pool, kTileGroups, [&](std::size_t group) {
    for (std::size_t t = group * tiles / kTileGroups; t < (group + 1) * tiles / kTileGroups; ++t) {
      const std::size_t first = t * kTileFeatures;
      body(group, Tile{t, first, std::min(kTileFeatures, features - first)});
    }
  });
}

// Elementwise work goes in blocks of kBlockRows rows.
template <class T>
View<T> row_block(View<T> rows, std::size_t block) {
  const std::size_t first = block * kBlockRows;
  return {rows.row(first), std::min(kBlockRows, rows.rows - first), rows.cols, rows.stride};
}

// Calls visit(feature - tile.first, value) for what a sparse row holds inside a tile.
template <class Visit>
void for_entries(const CsrMatrix& rows, std::size_t i, const Tile& tile, const Visit& visit) {
  const CsrMatrix::Row row = rows.row(i);
  auto entry = static_cast<std::size_t>(std::ranges::lower_bound(row.columns, tile.first) -
                                        row.columns.begin());
  for (; entry < row.columns.size() && row.columns[entry] < tile.first + tile.count; ++entry)
    visit(row.columns[entry] - tile.first, row.values[entry]);
}

}  // namespace sieve
