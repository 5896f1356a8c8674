#include "nn/compute.h"

#if defined(__SSE2__)
#include <immintrin.h>
#endif

// From the OpenMP runtime that oneDNN is linked with. Both settings are a thread's own.
extern "C" {
int omp_get_max_threads();
void omp_set_num_threads(int count);
}

namespace sieve {
namespace {

#if defined(__SSE2__)
constexpr unsigned kFlushToZero = 0x8000, kDenormalsAreZero = 0x0040;

unsigned float_mode() {
  return _mm_getcsr();
}
void set_float_mode(unsigned mode) {
  _mm_setcsr(mode);
}
#else
constexpr unsigned kFlushToZero = 0, kDenormalsAreZero = 0;

unsigned float_mode() {
  return 0;
}
void set_float_mode(unsigned) {}
#endif

}  // namespace

ComputeScope::ComputeScope() : float_mode_(float_mode()), library_threads_(omp_get_max_threads()) {
  set_float_mode(float_mode_ | kFlushToZero | kDenormalsAreZero);
  if (library_threads_ != 1) omp_set_num_threads(1);
}

ComputeScope::~ComputeScope() {
  set_float_mode(float_mode_);
  if (library_threads_ != 1) omp_set_num_threads(library_threads_);
}

}  // namespace sieve
