// One full PML-GAN iteration (Algorithm 1: generator side and discriminator side, m = 64 rows,
// n = 1024 label vectors from the prior, k = 1) at one shape.
#pragma once

#include <algorithm>

#include "linalg/compute.h"
#include "methods/pml_gan/step.h"

namespace sieve::bench {

inline constexpr std::size_t kRows = 64, kPrior = 1024, kData = 2048;

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
  // With a team, `parts` says which of the rows are this rank's.
  Iteration(const Shape& shape, std::size_t threads, const BatchParts& parts = BatchParts())
      : pool_(threads),
        rows_(parts.my_rows(kRows)),
        prior_rows_(parts.my_rows(kPrior)),
        step_(shape.specs(), kRows, kPrior, 1, parts),
        features_(kData, shape.features),
        labels_(kData, shape.labels),
        x_(rows_.count(), shape.features),
        y_(rows_.count(), shape.labels),
        prior_(prior_rows_.count(), shape.labels) {
    Random random(1, Purpose::Test);
    for (std::size_t i = 0; i < kData; ++i) {
      for (std::size_t j = 0; j < shape.features; ++j)
        features_(i, j) = float(random.uniform(-1, 1));
      for (std::size_t j = 0; j < shape.labels; ++j) labels_(i, j) = random.chance(0.3) ? 1.F : 0.F;
    }
  }

  const PerNetwork<Array<float>>& parameters() const { return step_.parameters(); }

  void run() {
    Random random(1, Purpose::Shuffle, ++count_);
    for (std::size_t i = 0; i < kRows; ++i) {
      const std::size_t row = random.below(kData);
      if (i < rows_.first || i >= rows_.last) continue;
      std::copy_n(features_.row(row), x_.stride(), x_.row(i - rows_.first));
      std::copy_n(labels_.row(row), y_.stride(), y_.row(i - rows_.first));
    }
    const View<const float> x = x_.view(rows_.count()), y = y_.view(rows_.count());
    const View<const float> prior = prior_.view(prior_rows_.count());
    GanBatch<float> batch{{.dense = x}, x, y};
    batch.batch_rows = kRows;
    batch.batch_prior = kPrior;
    step_.see_labels(pool_, batch, {true, 1, count_});
    draw_prior(0);
    step_.generator_turn(pool_, {}, batch, prior, objective_);
    draw_prior(1);
    step_.discriminator_turn(pool_, {}, batch, prior);
  }

 private:
  void draw_prior(std::size_t which) {
    compute(pool_, prior_.rows() / kBlockRows, [&](std::size_t block) {
      for (std::size_t i = block * kBlockRows; i < (block + 1) * kBlockRows; ++i) {
        Random random(1, Purpose::Prior, 2 * count_ + which, prior_rows_.first + i);
        for (std::size_t j = 0; j < prior_.cols(); ++j) prior_(i, j) = float(random.uniform());
      }
    });
  }

  ThreadPool pool_;
  BatchParts::Rows rows_, prior_rows_;
  GanStep<float> step_;
  Panel<float> features_, labels_, x_, y_, prior_;
  GanObjective objective_{.calibrated = false, .saturating = true};
  std::size_t count_ = 0;
};

}  // namespace sieve::bench
