// One full PML-GAN iteration (Algorithm 1: generator side and discriminator side, m = 64 rows,
// n = 1024 label vectors from the prior, k = 1) at one shape.
//
// usage: iteration_bench features labels width threads seconds
// prints: milliseconds (minimum), 10^9 operations an iteration, FMA peak in 10^9 a second (maximum)
#include <fmt/core.h>

#include <algorithm>
#include <cstdlib>

#include "clock.h"
#include "fma_peak.h"
#include "linalg/compute.h"
#include "methods/pml_gan/step.h"
#include "nn/adam.h"

namespace {

using namespace sieve;
constexpr std::size_t kRows = 64, kPrior = 1024, kData = 2048;
constexpr int kLeastTurns = 10;

struct Shape {
  std::size_t features, labels, width;

  PerNetwork<MlpSpec> specs() const {
    const LayerSpec plain{width}, norm{width, Activation::LeakyRelu, true};
    const auto three = [&](std::size_t outputs) {
      return MlpSpec{features, {plain, plain, {outputs, Activation::Identity}}, 0.01};
    };
    return {three(labels),
            three(labels),
            {labels, {plain, norm, norm, norm, {features, Activation::Tanh}}, 0.01},
            three(1)};
  }

  // Multiplications and additions of the matrix products that the mathematics asks for, without
  // padding: every network forward, back to its weights, and back to its input where that is used.
  double operations() const {
    const auto d = double(features), l = double(labels), h = double(width), m = double(kRows),
               n = double(kPrior);
    const auto three = [&](double out) { return d * h + h * h + h * out; };
    const double five = l * h + 3 * h * h + h * d, to_input = d * h;
    const double predictors = 2 * m * (3 * three(l) - to_input);
    const double generator = m * 3 * five + n * (3 * five - l * h) + n * five;
    const double discriminator = n * 2 * three(1) + (n + m) * (3 * three(1) - to_input);
    return 2 * (predictors + generator + discriminator);
  }
};

class Iteration {
 public:
  Iteration(const Shape& shape, std::size_t threads)
      : pool_(threads),
        step_(shape.specs(), kRows, kPrior),
        parameters_(step_.initial_parameters(1)),
        adam_{state(parameters_.predictor), state(parameters_.disambiguator),
              state(parameters_.generator), state(parameters_.discriminator)},
        features_(kData, shape.features),
        labels_(kData, shape.labels),
        x_(kRows, shape.features),
        y_(kRows, shape.labels),
        prior_(kPrior, shape.labels) {
    Random random(1, Purpose::Test);
    for (std::size_t i = 0; i < kData; ++i) {
      for (std::size_t j = 0; j < shape.features; ++j)
        features_(i, j) = float(random.uniform(-1, 1));
      for (std::size_t j = 0; j < shape.labels; ++j) labels_(i, j) = random.chance(0.3) ? 1.F : 0.F;
    }
  }

  void run() {
    Random random(1, Purpose::Shuffle, ++count_);
    for (std::size_t i = 0; i < kRows; ++i) {
      const std::size_t row = random.below(kData);
      std::copy_n(features_.row(row), x_.stride(), x_.row(i));
      std::copy_n(labels_.row(row), y_.stride(), y_.row(i));
    }
    const GanBatch<float> batch{{.dense = x_.view(kRows)}, x_.view(kRows), y_.view(kRows)};
    step_.see_labels(pool_, parameters_, batch, {true, 1, count_});
    draw_prior(0);
    step_.generator_side(pool_, parameters_, batch, prior_.view(kPrior), objective_);
    PerNetwork<Array<float>>& gradients = step_.gradients();
    update(gradients.generator, adam_.generator, parameters_.generator);
    update(gradients.disambiguator, adam_.disambiguator, parameters_.disambiguator);
    update(gradients.predictor, adam_.predictor, parameters_.predictor);
    draw_prior(1);
    step_.discriminator_side(pool_, parameters_, batch, prior_.view(kPrior));
    update(gradients.discriminator, adam_.discriminator, parameters_.discriminator);
  }

 private:
  static AdamState<float> state(const Array<float>& values) {
    return AdamState<float>(values.size());
  }
  void update(const Array<float>& gradients, AdamState<float>& state, Array<float>& parameters) {
    adam_step<float>(pool_, {}, {gradients.data(), gradients.size()}, state,
                     {parameters.data(), parameters.size()});
  }
  void draw_prior(std::size_t which) {
    compute(pool_, kPrior / kBlockRows, [&](std::size_t block) {
      for (std::size_t i = block * kBlockRows; i < (block + 1) * kBlockRows; ++i) {
        Random random(1, Purpose::Prior, 2 * count_ + which, i);
        for (std::size_t j = 0; j < prior_.cols(); ++j) prior_(i, j) = float(random.uniform());
      }
    });
  }

  ThreadPool pool_;
  GanStep<float> step_;
  PerNetwork<Array<float>> parameters_;
  PerNetwork<AdamState<float>> adam_;
  Panel<float> features_, labels_, x_, y_, prior_;
  GanObjective objective_{.calibrated = false, .saturating = true};
  std::size_t count_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 6) {
    fmt::print(stderr, "usage: iteration_bench features labels width threads seconds\n");
    return 2;
  }
  const auto number = [&](int i) { return std::strtoul(argv[i], nullptr, 10); };
  const Shape shape{number(1), number(2), number(3)};
  const std::size_t threads = number(4);
  Iteration iteration(shape, threads);
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
