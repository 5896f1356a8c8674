#include "linalg/compute.h"

#include <cstdint>

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
#elif defined(__aarch64__)
constexpr unsigned kFlushToZero = 1U << 24, kDenormalsAreZero = 0;  // one bit does both

unsigned float_mode() {
  std::uint64_t mode = 0;
  asm volatile("mrs %0, fpcr" : "=r"(mode));
  return static_cast<unsigned>(mode);
}
void set_float_mode(unsigned mode) {
  asm volatile("msr fpcr, %0" : : "r"(std::uint64_t{mode}));
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
