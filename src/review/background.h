#pragma once

#include <sys/resource.h>

namespace sieve {

// For threads that work beside the server: reviewers wait for its answers, nobody waits for these.
// On Linux it concerns the calling thread alone.
inline void let_answers_go_first() {
  constexpr int kLowestPriority = 19;
  setpriority(PRIO_PROCESS, 0, kLowestPriority);
}

}  // namespace sieve
