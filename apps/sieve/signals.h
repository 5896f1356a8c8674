#pragma once

#include <array>

namespace sieve {

// From here on a request to end (Ctrl-C, SIGTERM, a terminal that hangs up) ends the program at
// once with exit code 7, without leftovers: outputs appear only when they are complete. A file that
// grows too long is a failed write. Whoever was started to outlive its terminal (nohup) still does.
void end_on_request();

// While this lives, such a request is only noted, for work that comes to an orderly end by itself;
// a second one ends the program.
class StopRequests {
 public:
  StopRequests();
  ~StopRequests();
  StopRequests(const StopRequests&) = delete;
  StopRequests& operator=(const StopRequests&) = delete;

  static bool came();

 private:
  std::array<void (*)(int), 3> before_;
};

}  // namespace sieve
