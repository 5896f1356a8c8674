#include "linalg/products.h"

#include <gtest/gtest.h>
#include <sys/time.h>

#include <cmath>
#include <csignal>
#include <cstdint>
#include <string>
#include <vector>

#include "base/random.h"
#include "support/targets.h"

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

template <class Real>
std::vector<Real> random_numbers(std::size_t count, std::uint64_t seed) {
  Random random(seed, Purpose::Test);
  std::vector<Real> values(count);
  for (Real& value : values) value = static_cast<Real>(random.uniform(-1, 1));
  return values;
}

struct Shape {
  std::size_t m, n, k;
  bool left, right, add;  // transposed sides; added to what is there
};

template <class Real>
void expect_chains(const Shape& s, const std::string& target) {
  constexpr std::size_t kSide = 300, kRows = 72;
  const std::size_t stride = kSide;
  static const std::vector<Real> a = random_numbers<Real>(kSide * kSide, 1),
                                 b = random_numbers<Real>(kSide * kSide, 2),
                                 before = random_numbers<Real>(kRows * kSide, 3);
  std::vector<Real> wanted = before, c = before;
  for (std::size_t i = 0; i < s.m; ++i)
    for (std::size_t j = 0; j < s.n; ++j) {
      Real sum = s.add ? before[i * stride + j] : Real(0);
      for (std::size_t p = 0; p < s.k; ++p)
        sum = std::fma(s.left ? a[p * stride + i] : a[i * stride + p],
                       s.right ? b[j * stride + p] : b[p * stride + j], sum);
      wanted[i * stride + j] = sum;
    }
  gemm<Real>(s.m, s.n, s.k, {a.data(), stride, s.left}, {b.data(), stride, s.right}, s.add,
             c.data(), stride);
  EXPECT_EQ(c, wanted) << target << ": " << s.m << " x " << s.n << " x " << s.k
                       << (s.left ? " a'" : "") << (s.right ? " b'" : "")
                       << (s.add ? " added" : "");
}

// Which also means that a row alone has the bits it has among others, and that a processor with
// narrow vectors gives those of one with wide ones.
TEST(Gemm, every_number_is_one_chain_of_fused_multiply_adds) {
  test::with_each_target([](const std::string& target) {
    for (const std::size_t m : {1, 7, 70})
      for (const std::size_t n : {1, 5, 16, 48, 64, 112, 131})
        for (const std::size_t k : {0, 17, 300})
          for (const bool left : {false, true})
            for (const bool add : {false, true}) {
              expect_chains<float>({m, n, k, left, false, add}, target);
              expect_chains<double>({m, n, k, left, n == 131, add}, target);
            }
    expect_chains<float>({33, 90, 40, false, true, true}, target);
  });
}

// A kernel that keeps data in the stack pointer would have a handler write into the heap.
TEST(Gemm, a_signal_finds_the_stack_where_it_should_be) {
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
