#pragma once

#include <cstddef>
#include <functional>

#include "labelsieve/threads.h"

namespace sieve::test {

// Calls body(team) on `size` ranks, which are threads of this process. When one throws, the others
// find it lost. Rethrows what the smallest rank threw that was not just told of a loss.
void run_ranks(std::size_t size, const std::function<void(Team&)>& body);

}  // namespace sieve::test
