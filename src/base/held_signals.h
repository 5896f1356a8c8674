#pragma once

#include <pthread.h>

#include <csignal>

namespace sieve {

// Blocks signals while it lives. The threads of a ThreadPool never take any, so this covers the
// whole program if the thread that holds it is the only other one.
class HeldSignals {
 public:
  HeldSignals() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~HeldSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  HeldSignals(const HeldSignals&) = delete;
  HeldSignals& operator=(const HeldSignals&) = delete;

 private:
  sigset_t before_;
};

}  // namespace sieve
