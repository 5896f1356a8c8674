#include "linalg/gemm.h"

#include <gtest/gtest.h>
#include <sys/time.h>

#include <csignal>
#include <cstdint>
#include <vector>

namespace sieve {
namespace {

std::uintptr_t stack_bottom = 0;  // an address in a frame of the test
volatile std::sig_atomic_t alarms = 0, astray = 0;

// Where does the handler run? The test's stack is far smaller than a gigabyte.
void note_place(int) {
  const char here = 0;
  const auto place = reinterpret_cast<std::uintptr_t>(&here);
  alarms = alarms + 1;
  if (place > stack_bottom || stack_bottom - place > (std::uintptr_t{1} << 30)) astray = astray + 1;
}

// A signal every 50 microseconds, as long as it lives.
class Storm {
 public:
  Storm() : old_(std::signal(SIGALRM, note_place)) { beat(50); }
  ~Storm() {
    beat(0);
    std::signal(SIGALRM, old_);
  }
  Storm(const Storm&) = delete;
  Storm& operator=(const Storm&) = delete;

 private:
  static void beat(int microseconds) {
    const itimerval every{{0, microseconds}, {0, microseconds}};
    ::setitimer(ITIMER_REAL, &every, nullptr);
  }
  void (*old_)(int);
};

// Kernels of oneDNN 2.6 use the stack pointer for data: a handler would write into the heap.
TEST(Gemm, signals_wait_until_the_stack_is_a_stack_again) {
  const char frame = 0;
  stack_bottom = reinterpret_cast<std::uintptr_t>(&frame) + 4096;
  const std::vector<float> a(64 * 256, 0.5F), b(256 * 256, 0.25F);
  std::vector<float> c(64 * 256);
  alarms = 0;
  astray = 0;
  const Storm storm;
  while (alarms < 200) {
    gemm<float>(64, 256, 256, {a.data(), 256}, {b.data(), 256}, false, c.data(), 256);
    ASSERT_EQ(astray, 0);
  }
  EXPECT_EQ(c.front(), 32.0F);
  EXPECT_EQ(c.back(), 32.0F);
}

}  // namespace
}  // namespace sieve
