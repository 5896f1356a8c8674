#include "linalg/compute.h"

#if defined(__SSE2__)
#include <immintrin.h>
#endif

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

ComputeScope::ComputeScope() : float_mode_(float_mode()) {
  set_float_mode(float_mode_ | kFlushToZero | kDenormalsAreZero);
}

ComputeScope::~ComputeScope() {
  set_float_mode(float_mode_);
}

}  // namespace sieve
