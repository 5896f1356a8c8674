// The thread sanitizer has these functions to itself.
#if !defined(__SANITIZE_THREAD__)

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "methods/pml_gan/step.h"
#include "methods/wide_problem.h"
#include "nn/adam.h"
#include "support/gradient_check.h"

// Every way the library takes memory is counted in this program: operator new, and what
// AlignedBytes calls. The scratch memory that oneDNN takes and gives back inside a product is not
// ours.
namespace {
std::atomic<std::size_t> allocations{0};
}

[[gnu::noinline]] void* operator new(std::size_t size) {
  ++allocations;
  if (void* memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}
// What asks for memory this way (std::stable_sort) gives it back by the same operator delete.
[[gnu::noinline]] void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  ++allocations;
  return std::malloc(size);
}
[[gnu::noinline]] void operator delete(void* memory) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}
extern "C" void* aligned_alloc(std::size_t alignment, std::size_t size) {
  static const auto next =
      reinterpret_cast<void* (*)(std::size_t, std::size_t)>(dlsym(RTLD_NEXT, "aligned_alloc"));
  ++allocations;
  return next(alignment, size);
}
extern "C" void* mmap(void* at, std::size_t size, int access, int flags, int file, off_t from) {
  using Function = void* (*)(void*, std::size_t, int, int, int, off_t);
  static const auto next = reinterpret_cast<Function>(dlsym(RTLD_NEXT, "mmap"));
  ++allocations;
  return next(at, size, access, flags, file, from);
}

namespace sieve {
namespace {

using test::all;
using test::random_panel;

TEST(Allocation, is_counted) {
  const std::size_t before = allocations;
  const Array<float> small(100), large(1 << 20);
  EXPECT_EQ(allocations, before + 2);
}

TEST(Allocation, none_in_the_step_loop) {
  constexpr std::size_t rows = 64, prior_rows = 512, features = 40, labels = 6;
  const LayerSpec hidden{48, Activation::LeakyRelu, false, 0.5};
  const LayerSpec norm{48, Activation::LeakyRelu, true};
  const MlpSpec labeller{features, {hidden, {labels, Activation::Identity}}};
  GanStep<float> step({labeller,
                       labeller,
                       {labels, {hidden, norm, {features, Activation::Tanh}}},
                       {features, {hidden, {1, Activation::Identity}}}},
                      rows, prior_rows, 1);
  ThreadPool pool(2);
  Array<float>& predictor = step.parameters().predictor;
  Array<float> average = predictor.clone();
  const Panel<float> x = random_panel<float>(rows, features, 1), y(rows, labels),
                     prior = random_panel<float>(prior_rows, labels, 2);
  const Array<float> log_rates(labels);
  const GanBatch<float> batch{
      {.dense = x.view(rows)}, x.view(rows), y.view(rows), nullptr, log_rates.data()};
  const auto iterate = [&](std::uint64_t t) {
    step.see_labels(pool, batch, {true, 1, t});
    step.generator_turn(pool, {}, batch, prior.view(prior_rows), {});
    step.discriminator_turn(pool, {}, batch, prior.view(prior_rows));
    move_average<float>(pool, 0.1F, all(predictor), all(average));
  };
  iterate(0);  // starts the workers
  const std::size_t before = allocations;
  for (std::uint64_t t = 1; t < 5; ++t) iterate(t);
  EXPECT_EQ(allocations - before, 0U);
}

TEST(Allocation, none_in_the_step_loop_on_very_many_features) {
  test::WideProblem<float> problem(300, 0.5);
  const auto iterate = [&](std::uint64_t t) {
    problem.generator_turn({}, {}, t);
    problem.discriminator_turn({});
  };
  iterate(0);  // starts the workers
  const std::size_t before = allocations;
  for (std::uint64_t t = 1; t < 4; ++t) iterate(t);
  EXPECT_EQ(allocations - before, 0U);
}

}  // namespace
}  // namespace sieve

#endif
