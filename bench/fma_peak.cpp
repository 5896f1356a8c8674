#include "fma_peak.h"

#include <immintrin.h>

#include <thread>
#include <vector>

#include "clock.h"
#include "linalg/target.h"

namespace {

constexpr long kRounds = 2'000'000;

// Enough independent chains to hide the latency of one multiply-add.
#define CHAINS(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11)

// The empty asm keeps the compiler from seeing that a chain is a constant.
#define START(i) __m512 c##i = _mm512_set1_ps(float(i));
#define STEP(i)                       \
  c##i = _mm512_fmadd_ps(c##i, a, b); \
  asm volatile("" : "+v"(c##i));
__attribute__((target("avx512f"))) double wide() {
  const __m512 a = _mm512_set1_ps(0.5F), b = _mm512_set1_ps(1.0F);
  CHAINS(START)
  for (long i = 0; i < kRounds; ++i) {
    CHAINS(STEP)
  }
  return 12.0 * 16 * 2 * double(kRounds);
}
#undef START
#undef STEP

#define START(i) __m256 c##i = _mm256_set1_ps(float(i));
#define STEP(i)                       \
  c##i = _mm256_fmadd_ps(c##i, a, b); \
  asm volatile("" : "+x"(c##i));
__attribute__((target("avx2,fma"))) double narrow() {
  const __m256 a = _mm256_set1_ps(0.5F), b = _mm256_set1_ps(1.0F);
  CHAINS(START)
  for (long i = 0; i < kRounds; ++i) {
    CHAINS(STEP)
  }
  return 12.0 * 8 * 2 * double(kRounds);
}

}  // namespace

double fma_peak(std::size_t threads) {
  const auto run = sieve::target() == "avx512" ? wide : narrow;
  std::vector<double> done(threads);
  const double start = busy_seconds(threads);
  std::vector<std::thread> others;
  for (std::size_t t = 1; t < threads; ++t) others.emplace_back([&, t] { done[t] = run(); });
  done[0] = run();
  for (std::thread& thread : others) thread.join();
  const double time = busy_seconds(threads) - start;
  double operations = 0;
  for (const double part : done) operations += part;
  return operations / time * 1e-9;
}
