#include "base/one_library_thread.h"

// From the OpenMP runtime. Both settings are a thread's own.
extern "C" {
int omp_get_max_threads();
void omp_set_num_threads(int count);
}

namespace sieve {

OneLibraryThread::OneLibraryThread() : before_(omp_get_max_threads()) {
  if (before_ != 1) omp_set_num_threads(1);
}

OneLibraryThread::~OneLibraryThread() {
  if (before_ != 1) omp_set_num_threads(before_);
}

}  // namespace sieve
