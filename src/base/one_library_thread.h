#pragma once

namespace sieve {

// While one lives, libraries built on OpenMP (oneDNN, OpenBLAS) stay on the thread that made it;
// we cut work up ourselves, so that results do not depend on the number of threads. What was set
// before comes back at the end.
class OneLibraryThread {
 public:
  OneLibraryThread();
  ~OneLibraryThread();
  OneLibraryThread(const OneLibraryThread&) = delete;
  OneLibraryThread& operator=(const OneLibraryThread&) = delete;

 private:
  int before_;
};

}  // namespace sieve
