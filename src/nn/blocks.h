#pragma once

#include <algorithm>

#include "linalg/compute.h"
#include "nn/mlp.h"

// How the work of a network is cut up. Nothing here may depend on the number of threads.
namespace sieve {

// From this many rows on, weights are transposed once a backward pass: products with them are then
// a fifth faster, and the copy is paid back.
constexpr std::size_t kRowsWorthTransposing = 256;

// Weight gradients are worked on in strips of this many inputs.
constexpr std::size_t kStripInputs = 64;

template <class T>
View<T> block_of(View<T> rows, std::size_t block) {
  const std::size_t first = block * kBlockRows;
  return {rows.row(first), std::min(kBlockRows, rows.rows - first), rows.cols, rows.stride};
}

// Where a layer keeps the sums of one block; which = 0 or 1.
template <class Real>
Real* block_sums(typename MlpContext<Real>::Layer& layer, std::size_t block, std::size_t which) {
  return layer.partial.data() + (2 * block + which) * layer.out.stride();
}

template <class Real>
BlockSums<Real> all_block_sums(const typename MlpContext<Real>::Layer& layer, std::size_t rows) {
  return {layer.partial.data(), block_count(rows), layer.out.stride()};
}

}  // namespace sieve
