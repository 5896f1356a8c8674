#pragma once

#include <cstddef>
#include <functional>

#include "base/one_library_thread.h"
#include "labelsieve/threads.h"

namespace sieve {

// While one lives, its thread treats denormal numbers as zero (they cost a hundred times more) and
// oneDNN stays on that thread. What was set before comes back at the end.
class ComputeScope {
 public:
  ComputeScope();
  ~ComputeScope();
  ComputeScope(const ComputeScope&) = delete;
  ComputeScope& operator=(const ComputeScope&) = delete;

 private:
  unsigned float_mode_;
  OneLibraryThread library_;
};

// body(0) ... body(count - 1) on the pool, each inside a ComputeScope. Allocates nothing.
template <class Body>
void compute(ThreadPool& pool, std::size_t count, const Body& body) {
  const auto scoped = [&](std::size_t i) {
    const ComputeScope scope;
    body(i);
  };
  pool.for_each(count, std::cref(scoped));
}

}  // namespace sieve
