#pragma once

#include <cstddef>
#include <functional>

#include "base/near_work.h"

namespace sieve {

// While one lives, its thread treats denormal numbers as zero: they cost a hundred times more. What
// was set before comes back at the end.
class ComputeScope {
 public:
  ComputeScope();
  ~ComputeScope();
  ComputeScope(const ComputeScope&) = delete;
  ComputeScope& operator=(const ComputeScope&) = delete;

 private:
  unsigned float_mode_;
};

// body(0) ... body(count - 1) on the pool, inside a ComputeScope. Allocates nothing.
template <class Body>
void compute(ThreadPool& pool, std::size_t count, const Body& body) {
  for_each_near(pool, count, std::cref(body), [](const std::function<void()>& share) {
    const ComputeScope scope;
    share();
  });
}

}  // namespace sieve
