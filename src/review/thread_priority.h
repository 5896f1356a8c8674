#pragma once

#include <sys/resource.h>

namespace sieve {

// Lowers the priority of the calling thread, for work in the background: reviewers wait for the
// server, nobody waits for these threads.
inline void lower_thread_priority() {
  constexpr int kLowestPriority = 19;
  setpriority(PRIO_PROCESS, 0, kLowestPriority);
}

}  // namespace sieve
