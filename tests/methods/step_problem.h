#pragma once

#include <cmath>
#include <vector>

#include "methods/pml_gan/step.h"
#include "support/gradient_check.h"

namespace sieve::test {

inline constexpr std::size_t kRows = 9, kPrior = 40, kFeatures = 6, kLabels = 4;
inline constexpr Mode kMode{true, 5, 3};

inline PerNetwork<MlpSpec> small_networks(double dropout) {
  const LayerSpec hidden{7, Activation::LeakyRelu, false, dropout}, plain{7};
  const LayerSpec norm{8, Activation::LeakyRelu, true};
  const MlpSpec labeller{kFeatures, {hidden, hidden, {kLabels, Activation::Identity}}};
  return {labeller,
          labeller,
          {kLabels, {plain, norm, norm, norm, {kFeatures, Activation::Tanh}}},
          {kFeatures, {plain, plain, {1, Activation::Identity}}}};
}

// A step on random data, in double precision.
struct StepProblem {
  explicit StepProblem(GanObjective o, const BatchParts& parts = BatchParts())
      : objective(o), step(small_networks(0.25), kRows, kPrior, 1, parts) {
    Random random(9, Purpose::Test);
    for (std::size_t i = 0; i < kRows; ++i)
      for (std::size_t j = 0; j < kLabels; ++j) y(i, j) = random.chance(0.6) ? 1 : 0;
    for (double& c : centre) c = random.uniform(-0.5, 0.5);
    for (double& r : log_rates) r = std::log(random.uniform(0.1, 0.9));
  }

  GanBatch<double> batch() const {
    return {{.dense = x.view(kRows), .centre = centre.data()},
            x.view(kRows),
            y.view(kRows),
            centre.data(),
            log_rates.data()};
  }

  double generator_side() {
    step.see_labels(pool, batch(), kMode);
    const GanLosses l = step.generator_side(pool, batch(), prior.view(kPrior), objective);
    return l.classification + l.generation + l.adversarial + l.disambiguation;
  }
  double discriminator_side() { return step.discriminator_side(pool, batch(), prior.view(kPrior)); }

  GanObjective objective;
  ThreadPool pool{1};
  GanStep<double> step;
  PerNetwork<Array<double>>& parameters = step.parameters();
  Panel<double> x = random_panel<double>(kRows, kFeatures, 1), y{kRows, kLabels},
                prior = random_panel<double>(kPrior, kLabels, 2);
  std::vector<double> centre = std::vector<double>(kFeatures);
  std::vector<double> log_rates = std::vector<double>(kLabels);
};

}  // namespace sieve::test
