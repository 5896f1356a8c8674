// Milliseconds of one full PML-GAN iteration at one shape.
//
// usage: iteration_bench features labels width threads seconds
// prints: milliseconds (minimum), 10^9 operations an iteration, FMA peak in 10^9 a second (maximum)
#include <fmt/core.h>

#include <algorithm>
#include <cstdlib>

#include "clock.h"
#include "fma_peak.h"
#include "iteration.h"
#include "linalg/target.h"

namespace {

constexpr int kLeastTurns = 10;

}  // namespace

int main(int argc, char** argv) {
  if (argc != 6) {
    fmt::print(stderr, "usage: iteration_bench features labels width threads seconds\n");
    return 2;
  }
  if (const char* target = std::getenv("SIEVE_TARGET")) sieve::use_target(target);
  const auto number = [&](int i) { return std::strtoul(argv[i], nullptr, 10); };
  const sieve::bench::Shape shape{number(1), number(2), number(3)};
  const std::size_t threads = number(4);
  sieve::bench::Iteration iteration(shape, threads);
  for (int i = 0; i < 3; ++i) iteration.run();
  double best = 1e9, peak = 0;
  const double end = seconds_now() + std::strtod(argv[5], nullptr);
  // A peak taken while something else had a core is too low: many are taken, between iterations.
  for (int i = 0; i < kLeastTurns || seconds_now() < end; ++i) {
    peak = std::max(peak, fma_peak(threads));
    const double before = busy_seconds(threads);
    iteration.run();
    best = std::min(best, busy_seconds(threads) - before);
  }
  fmt::print("{:.4f} {:.5f} {:.1f}\n", best * 1e3, shape.operations() * 1e-9, peak);
}
