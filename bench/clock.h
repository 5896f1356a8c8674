#pragma once

#include <ctime>

#include <cstddef>

inline double seconds_of(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

inline double seconds_now() {
  return seconds_of(CLOCK_MONOTONIC);
}

// With one thread the time of the processor, which other programs on the machine disturb less.
inline double busy_seconds(std::size_t threads) {
  return seconds_of(threads == 1 ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC);
}
