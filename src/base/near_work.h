#pragma once

#include <cstddef>
#include <functional>

#include "labelsieve/threads.h"

namespace sieve {

// As pool.for_each, but each thread begins with a stretch of indices of its own, the same one in
// every call of this count: what it wrote in the last call is still in its cache. All that a thread
// does in one call happens inside around(...), which has to call what it is given.
using Around = std::function<void(const std::function<void()>&)>;
void for_each_near(ThreadPool& pool, std::size_t count,
                   const std::function<void(std::size_t)>& body, const Around& around);

}  // namespace sieve
