#pragma once

#include <string>

#include "experiment/comparison.h"

namespace sieve {

// One self-contained HTML page about the results of a store. `comparison` was made of them.
std::string experiment_page(const StoredResults& stored, const Comparison& comparison);

}  // namespace sieve
