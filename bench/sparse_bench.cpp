// One training step of mlp-noise on sparse rows (64 rows a step, one hidden layer).
//
// usage: sparse_bench features entries width threads seconds
// prints: microseconds a step (mean), features that a step meets (mean), peak memory in MB
#include <fmt/core.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <utility>
#include <vector>

#include "clock.h"
#include "linalg/entries.h"
#include "linalg/target.h"
#include "methods/network/member.h"

namespace {

using namespace sieve;
constexpr std::size_t kBatch = 64, kRows = 100 * kBatch, kLabels = 15, kCommon = 1000,
                      kLeastSteps = 300;

// Rows of `entries` features, half of them out of a thousand common ones, the others out of all.
CsrMatrix random_rows(std::size_t features, std::size_t entries) {
  CsrMatrix rows;
  rows.cols = features;
  rows.starts.push_back(0);
  std::vector<std::uint32_t> row;
  for (std::size_t i = 0; i < kRows; ++i) {
    Random random(1, Purpose::Test, i);
    row.clear();
    while (row.size() < entries) {
      const std::size_t among = row.size() % 2 == 0 ? kCommon : features;
      const auto feature = static_cast<std::uint32_t>(random.below(among));
      if (std::ranges::find(row, feature) == row.end()) row.push_back(feature);
    }
    std::ranges::sort(row);
    for (const std::uint32_t column : row) {
      rows.columns.push_back(column);
      rows.values.push_back(static_cast<float>(random.uniform()));
    }
    rows.starts.push_back(rows.values.size());
  }
  return rows;
}

LabelMatrix random_labels() {
  LabelMatrix labels(kRows, kLabels);
  Random random(2, Purpose::Test);
  for (std::size_t i = 0; i < kRows; ++i)
    for (std::size_t k = 0; k < kLabels; ++k) labels.set(i, k, random.chance(0.3));
  return labels;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 6) {
    fmt::print(stderr, "usage: sparse_bench features entries width threads seconds\n");
    return 2;
  }
  if (const char* target = std::getenv("SIEVE_TARGET")) use_target(target);
  const auto number = [&](int i) { return std::strtoul(argv[i], nullptr, 10); };
  const std::size_t threads = number(4);
  ThreadPool pool(threads);
  const Features x(random_rows(number(1), number(2)));
  const LabelMatrix candidates = random_labels();
  const InputScaling scaling = fit_input_scaling(x, Centring::Common);
  const NetRows rows(x, scaling);
  std::vector<std::size_t> order(kRows);
  std::iota(order.begin(), order.end(), std::size_t{0});
  const NoiseModel noise = guess_noise(candidates, order, 0.85);
  const MlpSpec spec{
      x.cols(), {{number(3), Activation::LeakyRelu, false, 0.5}, {kLabels, Activation::Identity}}};
  const auto trainee = make_plain_trainee(
      {rows, candidates, noise, spec, kBatch, 0, 0, 1, {}, BatchParts(), {0.01}});
  std::vector<std::size_t> last_met(x.cols());
  double seconds = 0, met = 0;
  std::size_t steps = 0;
  const double end = seconds_now() + std::strtod(argv[5], nullptr);
  for (std::size_t step = 0; step < kLeastSteps || seconds_now() < end; ++step) {
    const std::span<const std::size_t> batch =
        std::span(order).subspan(step * kBatch % kRows, kBatch);
    const double before = busy_seconds(threads);
    trainee->step(pool, step, batch);
    // The first pass over the rows makes the pages of the optimiser.
    if (step < kRows / kBatch) continue;
    seconds += busy_seconds(threads) - before;
    ++steps;
    for (const std::size_t i : batch)
      for_each_entry(x, i, [&](std::size_t j, float) {
        met += std::exchange(last_met[j], step) == step ? 0 : 1;
      });
  }
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  fmt::print("{:.0f} {:.0f} {:.0f}\n", seconds / double(steps) * 1e6, met / double(steps),
             double(usage.ru_maxrss) * 1024e-6);
}
