#pragma once

#include <cstddef>
#include <functional>

#include "labelsieve/learner.h"

// Sparse and dense rows are scaled and centred in different ways, which rounding shows. A model has
// one way, that of its training, and brings rows that are stored otherwise into it: what a row is
// given does not depend on the file it came from.
namespace sieve {

// Whether the features of the training were sparse. Models of versions that did not keep it: where
// there are very many features.
bool works_on_sparse_rows(const ModelState& state);

// The rows as the model works on them: `x` itself, or a copy.
Features stored_for(const ModelState& state, const Features& x);

// Calls use(first, rows) for such rows block by block, so that there is never a copy of all.
// Error(Data) if the number of features is not that of the model.
void for_each_block(const ModelState& state, const Features& x,
                    const std::function<void(std::size_t first, const Features& rows)>& use);

}  // namespace sieve
