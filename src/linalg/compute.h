#pragma once

#include <csignal>
#include <cstddef>
#include <functional>

#include "base/one_library_thread.h"
#include "labelsieve/threads.h"

namespace sieve {

// While one lives, its thread treats denormal numbers as zero (they cost a hundred times more),
// oneDNN stays on that thread, and signals wait: some of oneDNN's kernels use the stack pointer for
// data, and what a signal puts on the stack would then be written into the heap. What was set
// before comes back at the end.
class ComputeScope {
 public:
  ComputeScope();
  ~ComputeScope();
  ComputeScope(const ComputeScope&) = delete;
  ComputeScope& operator=(const ComputeScope&) = delete;

  static bool here();  // whether one lives on this thread

 private:
  unsigned float_mode_;
  sigset_t signals_;
  OneLibraryThread library_;
};

// body(0) ... body(count - 1) on the pool, inside a ComputeScope. Allocates nothing.
template <class Body>
void compute(ThreadPool& pool, std::size_t count, const Body& body) {
  pool.for_each_near(count, std::cref(body), [](const std::function<void()>& share) {
    const ComputeScope scope;
    share();
  });
}

}  // namespace sieve
