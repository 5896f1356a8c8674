#include "methods/shared/row_storage.h"

#include <limits>

namespace sieve {
namespace {

constexpr const char* kStorage = "features stored as";
constexpr const char *kSparse = "sparse rows", *kDense = "dense rows";
constexpr std::size_t kManyFeatures = 4096;

}  // namespace

void note_storage(const Features& features, ModelState& state) {
  state.notes[kStorage] = features.is_sparse() ? kSparse : kDense;
}

bool works_on_sparse_rows(const ModelState& state) {
  const auto found = state.notes.find(kStorage);
  return found != state.notes.end() ? found->second == kSparse : state.features > kManyFeatures;
}

const Features& stored_for(const ModelState& state, const Features& x, Features& room) {
  const bool sparse = works_on_sparse_rows(state);
  if (x.is_sparse() == sparse) return x;
  room = sparse ? Features(x.to_sparse())
                : Features(x.to_dense(std::numeric_limits<std::size_t>::max()));
  return room;
}

}  // namespace sieve
