#include "signals.h"

#include <unistd.h>

#include <csignal>

#include "labelsieve/error.h"
#include "labelsieve/files.h"
#include "terminal.h"

namespace sieve {
namespace {

constexpr std::array kRequests = {SIGINT, SIGTERM, SIGHUP};

volatile std::sig_atomic_t came_ = 0;

void end_now(int) {
  remove_unfinished_files();
  write_all(STDERR_FILENO, "sieve: stopped on request; every output is complete or unchanged\n");
  ::_exit(static_cast<int>(Failure::Interrupted));
}

void note(int number) {
  if (came_ == 0) {
    came_ = 1;
    return;
  }
  remove_unfinished_files();
  std::signal(number, SIG_DFL);
  ::kill(::getpid(), number);
}

using Handler = void (*)(int);

// What was in place; nohup stays in force.
Handler heed(int number, Handler handler) {
  const Handler before = std::signal(number, handler);
  if (number == SIGHUP && before == SIG_IGN) std::signal(number, SIG_IGN);
  return before;
}

}  // namespace

void end_on_request() {
  for (const int number : kRequests) heed(number, end_now);
  std::signal(SIGXFSZ, SIG_IGN);
}

StopRequests::StopRequests() {
  came_ = 0;
  for (std::size_t i = 0; i < kRequests.size(); ++i) before_[i] = heed(kRequests[i], note);
}

StopRequests::~StopRequests() {
  for (std::size_t i = 0; i < kRequests.size(); ++i) std::signal(kRequests[i], before_[i]);
}

bool StopRequests::came() {
  return came_ != 0;
}

}  // namespace sieve
