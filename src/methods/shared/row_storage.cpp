#include "methods/shared/row_storage.h"

#include <algorithm>
#include <limits>

#include "data/prepare/scaling.h"

namespace sieve {
namespace {

constexpr std::size_t kManyFeatures = 4096;
constexpr std::size_t kRowsAtOnce = 1024;

}  // namespace

bool works_on_sparse_rows(const ModelState& state) {
  if (!state.choices.storage) return state.features > kManyFeatures;
  return *state.choices.storage == RowStorage::Sparse;
}

Features stored_for(const ModelState& state, const Features& x) {
  const bool sparse = works_on_sparse_rows(state);
  if (x.is_sparse() == sparse) return x;
  if (sparse) return x.to_sparse();
  return x.to_dense(std::numeric_limits<std::size_t>::max());
}

void for_each_block(const ModelState& state, const Features& x,
                    const std::function<void(std::size_t first, const Features& rows)>& use) {
  require_features(x, state.features);
  for (std::size_t first = 0; first < x.rows(); first += kRowsAtOnce)
    use(first, stored_for(state, x.slice(first, std::min(first + kRowsAtOnce, x.rows()))));
}

}  // namespace sieve
