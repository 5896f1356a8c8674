// One full PML-GAN iteration on wide, sparse features (Algorithm 1: generator side and
// discriminator side, m = 64 rows, n = 1024 label vectors from the prior, k = 1).
//
// usage: wide_bench features entries labels width threads seconds
// prints: milliseconds (minimum), 10^9 operations an iteration, FMA peak in 10^9 a second
// (maximum), peak memory in MB
#include <fmt/core.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <vector>

#include "clock.h"
#include "fma_peak.h"
#include "linalg/target.h"
#include "methods/pml_gan/wide_gan.h"

namespace {

using namespace sieve;
constexpr std::size_t kRows = 64, kPrior = 1024, kData = 256;
constexpr int kLeastTurns = 3;

struct Shape {
  std::size_t features, labels, width;

  PerNetwork<MlpSpec> specs() const {
    const LayerSpec plain{width}, norm{width, Activation::LeakyRelu, true};
    const std::vector<LayerSpec> both{plain, plain};
    const auto network = [&](std::size_t outputs) {
      MlpSpec spec{features, both, 0.01};
      spec.layers.push_back({outputs, Activation::Identity});
      return spec;
    };
    return {network(labels),
            network(labels),
            {labels, {plain, norm, norm, norm, {features, Activation::Tanh}}, 0.01},
            network(1)};
  }

  // Multiplications and additions of the dense products with one side as long as the features,
  // which are nearly all: rows from the prior go eight times through such a layer, those of the
  // batch three times. What is computed twice to save memory does not count.
  double operations() const {
    return 2.0 * double(features * width) * double(8 * kPrior + 3 * kRows);
  }
};

// Rows of `entries` random numbers each.
CsrMatrix random_rows(std::size_t features, std::size_t entries) {
  CsrMatrix rows;
  rows.cols = features;
  rows.starts.push_back(0);
  for (std::size_t i = 0; i < kData; ++i) {
    Random random(1, Purpose::Test, i);
    for (std::size_t e = 0; e < entries; ++e) {
      const std::size_t from = e * features / entries, to = (e + 1) * features / entries;
      rows.columns.push_back(static_cast<std::uint32_t>(from + random.below(to - from)));
      rows.values.push_back(static_cast<float>(random.uniform()));
    }
    rows.starts.push_back(rows.values.size());
  }
  return rows;
}

class Iteration {
 public:
  Iteration(const Shape& shape, std::size_t entries, std::size_t threads)
      : pool_(threads),
        gan_(shape.specs(), kRows, kPrior, 1),
        features_(random_rows(shape.features, entries)),
        centre_(shape.features, 0.5F * float(entries) / float(shape.features)),
        y_(kRows, shape.labels),
        prior_(kPrior, shape.labels),
        rows_(kRows) {
    Random random(1, Purpose::Test);
    for (std::size_t i = 0; i < kRows; ++i)
      for (std::size_t k = 0; k < shape.labels; ++k) y_(i, k) = random.chance(0.3) ? 1.F : 0.F;
  }

  void run() {
    Random random(1, Purpose::Shuffle, ++count_);
    for (std::size_t& row : rows_) row = random.below(kData);
    GanBatch<float> batch;
    batch.features = {.sparse = &features_, .sparse_rows = rows_, .centre = centre_.data()};
    batch.candidates = std::as_const(y_).view(kRows);
    batch.centre = centre_.data();
    gan_.see_labels(pool_, batch, {true, 1, count_});
    draw_prior(random);
    gan_.generator_turn(pool_, {}, batch, std::as_const(prior_).view(kPrior), objective_);
    draw_prior(random);
    gan_.discriminator_turn(pool_, {}, batch, std::as_const(prior_).view(kPrior));
  }

 private:
  void draw_prior(Random& random) {
    for (std::size_t i = 0; i < kPrior; ++i)
      for (std::size_t k = 0; k < prior_.cols(); ++k) prior_(i, k) = float(random.uniform());
  }

  ThreadPool pool_;
  WideGan<float> gan_;
  CsrMatrix features_;
  std::vector<float> centre_;
  Panel<float> y_, prior_;
  std::vector<std::size_t> rows_;
  GanObjective objective_{.calibrated = false, .saturating = true};
  std::size_t count_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 7) {
    fmt::print(stderr, "usage: wide_bench features entries labels width threads seconds\n");
    return 2;
  }
  if (const char* target = std::getenv("SIEVE_TARGET")) sieve::use_target(target);
  const auto number = [&](int i) { return std::strtoul(argv[i], nullptr, 10); };
  const Shape shape{number(1), number(3), number(4)};
  const std::size_t threads = number(5);
  Iteration iteration(shape, number(2), threads);
  iteration.run();
  double best = 1e9, peak = 0;
  const double end = seconds_now() + std::strtod(argv[6], nullptr);
  for (int i = 0; i < kLeastTurns || seconds_now() < end; ++i) {
    peak = std::max(peak, fma_peak(threads));
    const double before = busy_seconds(threads);
    iteration.run();
    best = std::min(best, busy_seconds(threads) - before);
  }
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  fmt::print("{:.1f} {:.3f} {:.1f} {:.0f}\n", best * 1e3, shape.operations() * 1e-9, peak,
             double(usage.ru_maxrss) * 1024e-6);
}
