#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <string_view>

#include "labelsieve/error.h"
#include "labelsieve/threads.h"

namespace sieve {

// Calls body(0) ... body(count - 1) on the pool as one stage with progress: progress is reported
// and stop requests are checked every few calls. Error(Interrupted) after a stop request.
inline void for_each_with_progress(ThreadPool& pool, Progress& progress, std::string_view stage,
                                   std::size_t count,
                                   const std::function<void(std::size_t)>& body) {
  const std::size_t at_once = 4 * pool.size();
  progress.begin(stage, count);
  for (std::size_t first = 0; first < count; first += at_once) {
    if (progress.stop_requested()) throw Error(Failure::Interrupted, "stopped on request");
    const std::size_t some = std::min(at_once, count - first);
    pool.for_each(some, [&](std::size_t i) { body(first + i); });
    progress.update(first + some);
  }
  progress.end();
}

}  // namespace sieve
