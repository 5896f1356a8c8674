#pragma once

#include "linalg/compute.h"
#include "nn/mlp.h"

// How the work of a network is cut up. Nothing here may depend on the number of threads.
namespace sieve {

// Weight gradients are worked on in strips of this many inputs.
constexpr std::size_t kStripInputs = 64;

template <class T>
View<T> block_of(View<T> rows, const RowBlock& block) {
  return rows.slice(block.first, block.first + block.rows);
}

// Where a layer keeps the sums of one block; which = 0 or 1.
template <class Real>
Real* block_sums(typename MlpContext<Real>::Layer& layer, std::size_t block, std::size_t which) {
  return layer.partial.data() + (2 * block + which) * layer.out.width();
}

// Calls body(i, rows, sums of its blocks) for the i-th part of this rank.
template <class Real, class Body>
void for_my_parts(const MlpContext<Real>& context, std::size_t l, const Body& body) {
  const auto& layer = context.layers[l];
  const std::size_t stride = layer.out.width();
  for (std::size_t i = 0, first = 0; i < context.parts.mine(); ++i) {
    const std::size_t rows = context.parts.my_part(i, context.batch_rows).count();
    body(i, rows,
         BlockSums<Real>{layer.partial.data() + 2 * first * stride, block_count(rows), stride});
    first += block_count(rows);
  }
}

// Where a layer keeps the two sums of a part, counted over all ranks.
template <class Real>
Real* sums_of_part(typename MlpContext<Real>::Layer& layer, std::size_t part) {
  return layer.part_sums.data() + 2 * part * layer.out.width();
}

// The two sums of all parts are known to all ranks from here on.
template <class Real>
void gather_parts(const BatchParts& parts, typename MlpContext<Real>::Layer& layer) {
  parts.gather(std::span<Real>(layer.part_sums.data(), layer.part_sums.size()));
}

}  // namespace sieve
