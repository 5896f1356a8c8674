// The two propositions of the PML-GAN paper, checked by training on problems small enough to know
// the answer.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <span>
#include <vector>

#include "methods/pml_gan/step.h"
#include "nn/adam.h"
#include "nn/functions.h"
#include "nn/losses.h"

namespace sieve {
namespace {

std::span<const double> all_of(const Array<double>& values) {
  return {values.data(), values.size()};
}

std::span<double> all_of(Array<double>& values) {
  return {values.data(), values.size()};
}

// `counts[j]` copies of the j-th unit vector.
Panel<double> unit_vectors(const std::vector<std::size_t>& counts) {
  std::size_t rows = 0;
  for (const std::size_t count : counts) rows += count;
  Panel<double> out(rows, counts.size());
  std::size_t row = 0;
  for (std::size_t j = 0; j < counts.size(); ++j)
    for (std::size_t i = 0; i < counts[j]; ++i) out(row++, j) = 1;
  return out;
}

TEST(Propositions, the_best_discriminator_is_the_share_of_real_rows) {
  const std::vector<std::size_t> real_counts = {8, 6, 4, 2}, fake_counts = {2, 4, 6, 8};
  const Panel<double> real = unit_vectors(real_counts), fake = unit_vectors(fake_counts);
  const Mlp<double> mlp({4, {{16}, {16}, {1, Activation::Identity}}});
  Array<double> parameters = mlp.initial_parameters(1), gradients(mlp.parameter_count());
  AdamState<double> state(mlp.parameter_count());
  MlpContext<double> pass = mlp.context(20);
  ThreadPool pool(1);
  for (int step = 0; step < 1500; ++step) {
    bool add = false;
    for (const auto& [rows, wish] : {std::pair{&real, Wish::Real}, std::pair{&fake, Wish::Fake}}) {
      mlp.forward(pool, parameters.data(), {.dense = rows->view(20)}, {.training = true}, pass);
      adversarial<double>(pass.output(), wish, 1.0 / 20, pass.output_gradient());
      mlp.backward(pool, parameters.data(), pass, {.gradients = gradients.data(), .add = add});
      add = true;
    }
    adam_step<double>(pool, {.rate = 0.005}, all_of(gradients), state, all_of(parameters));
  }
  const Panel<double> points = unit_vectors({1, 1, 1, 1});
  mlp.forward(pool, parameters.data(), {.dense = points.view(4)}, {}, pass);
  for (std::size_t j = 0; j < 4; ++j) {
    const double p = static_cast<double>(real_counts[j]), q = static_cast<double>(fake_counts[j]);
    EXPECT_NEAR(sigmoid(pass.output()(j, 0)), p / (p + q), 0.01);
  }
}

double entropy(double z) {
  const auto term = [](double p) { return p > 0 ? -p * std::log(p) : 0; };
  return term(z) + term(1 - z);
}

// Four rows whose labels differ, so that F can reach z and G can make x from z.
class FixedDisambiguator : public ::testing::Test {
 protected:
  static constexpr std::size_t kRows = 4, kLabels = 3, kFeatures = 2;
  static constexpr double kBeta = 0.5;

  FixedDisambiguator() {
    const double x[kRows][kFeatures] = {{0.8, 0.1}, {-0.5, 0.7}, {0.2, -0.6}, {-0.7, -0.4}};
    const double y[kRows][kLabels] = {{1, 1, 0}, {0, 1, 1}, {1, 0, 1}, {1, 1, 1}};
    for (std::size_t i = 0; i < kRows; ++i) {
      for (std::size_t j = 0; j < kFeatures; ++j) x_(i, j) = x[i][j];
      for (std::size_t k = 0; k < kLabels; ++k) y_(i, k) = y[i][k];
    }
    batch_.features.dense = x_.view(kRows);
    batch_.scaled = x_.view(kRows);
    batch_.candidates = y_.view(kRows);
    objective_.calibrated = false;
    objective_.adversarial = kBeta;
    objective_.saturating = true;
  }

  // Steps of F, G and D; D~ stays as it is. The prior is the distribution of z itself.
  void train(int steps, double rate) {
    for (int step = 0; step < steps; ++step) {
      see();
      step_.generator_side(pool_, batch_, prior_.view(kRows), objective_);
      update(step_.gradients().predictor, predictor_, parameters_.predictor, rate);
      update(step_.gradients().generator, generator_, parameters_.generator, rate);
      step_.discriminator_side(pool_, batch_, prior_.view(kRows));
      update(step_.gradients().discriminator, discriminator_, parameters_.discriminator, rate);
    }
  }

  // The terms of the objective; adversarial: E log D(x) + E log(1 - D(G(z))).
  GanLosses terms() {
    see();
    GanLosses losses = step_.generator_side(pool_, batch_, prior_.view(kRows), objective_);
    losses.adversarial = -step_.discriminator_side(pool_, batch_, prior_.view(kRows));
    return losses;
  }

  double mean_entropy() {
    see();
    double sum = 0;
    for (std::size_t i = 0; i < kRows; ++i)
      for (std::size_t k = 0; k < kLabels; ++k) sum += entropy(step_.confidence()(i, k));
    return sum / kRows;
  }

 private:
  void see() {
    step_.see_labels(pool_, batch_, {.training = true});
    for (std::size_t i = 0; i < kRows; ++i)
      for (std::size_t k = 0; k < kLabels; ++k) prior_(i, k) = step_.confidence()(i, k);
  }
  void update(const Array<double>& gradients, AdamState<double>& state, Array<double>& values,
              double rate) {
    adam_step<double>(pool_, {.rate = rate, .beta1 = 0.5}, all_of(gradients), state,
                      all_of(values));
  }

  ThreadPool pool_{1};
  GanStep<double> step_{{{kFeatures, {{32}, {kLabels, Activation::Identity}}},
                         {kFeatures, {{8}, {kLabels, Activation::Identity}}},
                         {kLabels, {{32}, {kFeatures, Activation::Tanh}}},
                         {kFeatures, {{16}, {1, Activation::Identity}}}},
                        kRows,
                        kRows,
                        3};
  PerNetwork<Array<double>>& parameters_ = step_.parameters();
  AdamState<double> predictor_{parameters_.predictor.size()};
  AdamState<double> generator_{parameters_.generator.size()};
  AdamState<double> discriminator_{parameters_.discriminator.size()};
  Panel<double> x_{kRows, kFeatures}, y_{kRows, kLabels}, prior_{kRows, kLabels};
  GanBatch<double> batch_;
  GanObjective objective_;
};

TEST_F(FixedDisambiguator, the_objective_sinks_to_its_bound_and_not_below) {
  constexpr double kLog4 = 2 * std::numbers::ln2;
  const auto objective = [](const GanLosses& of) {
    return of.classification + of.generation + kBeta * of.adversarial;
  };
  const double before = objective(terms()), bound = mean_entropy() - kBeta * kLog4;
  train(3000, 0.01);
  train(3000, 0.001);
  const GanLosses reached = terms();
  EXPECT_GT(before, bound + 0.5);
  EXPECT_NEAR(objective(reached), bound, 0.02);
  EXPECT_NEAR(reached.classification, mean_entropy(), 0.02);  // F(x) = z: Eq. 6 and 7
  EXPECT_NEAR(reached.adversarial, -kLog4, 0.02);             // p_g = p_S: Eq. 8
  EXPECT_NEAR(reached.generation, 0, 0.02);                   // G(z) = x: Eq. 9 and 10
}

}  // namespace
}  // namespace sieve
