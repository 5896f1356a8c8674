#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <vector>

#include "methods/step_problem.h"
#include "nn/adam.h"
#include "nn/functions.h"

namespace sieve {
namespace {

using test::all;
using test::expect_gradient;
using Problem = test::StepProblem;
using test::kMode, test::kPrior, test::kRows, test::kFeatures, test::kLabels;
using test::random_panel;

// A copy of the gradients, because checking them runs the step again.
PerNetwork<Array<double>> copy(const PerNetwork<Array<double>>& from) {
  return {from.predictor.clone(), from.disambiguator.clone(), from.generator.clone(),
          from.discriminator.clone()};
}

TEST(PmlGanStep, gradients_of_the_paper_s_objective_are_right) {
  for (const bool saturating : {true, false}) {
    Problem p({.calibrated = false, .generation = 0.7, .adversarial = 2, .saturating = saturating});
    p.generator_side();
    PerNetwork<Array<double>> g = copy(p.step.gradients());
    const auto loss = [&] { return p.generator_side(); };
    expect_gradient("F", loss, all(p.parameters.predictor), all(g.predictor));
    expect_gradient("D~", loss, all(p.parameters.disambiguator), all(g.disambiguator));
    expect_gradient("G", loss, all(p.parameters.generator), all(g.generator));
  }
}

TEST(PmlGanStep, losses_of_the_paper_s_objective_are_its_formulas) {
  Problem p({.calibrated = false, .adversarial = 0.5, .saturating = true});
  p.step.see_labels(p.pool, p.batch(), kMode);
  const GanLosses losses =
      p.step.generator_side(p.pool, p.batch(), p.prior.view(kPrior), p.objective);
  const auto& c = p.step.contexts();
  double classification = 0, generation = 0, deception = 0;
  for (std::size_t i = 0; i < kRows; ++i) {
    for (std::size_t j = 0; j < kLabels; ++j) {
      const double noise = 1 / (1 + std::exp(-c.disambiguator.output()(i, j)));
      const double z = std::max(0.0, p.y(i, j) - noise);
      const double f = 1 / (1 + std::exp(-c.predictor.output()(i, j)));
      classification -= (z * std::log(f) + (1 - z) * std::log(1 - f)) / kRows;
    }
    for (std::size_t j = 0; j < kFeatures; ++j)
      generation += std::pow(c.reconstruction.output()(i, j) - p.x(i, j), 2) / kRows;
  }
  for (std::size_t i = 0; i < kPrior; ++i)
    deception += 0.5 * std::log(1 - 1 / (1 + std::exp(-c.fake.output()(i, 0)))) / kPrior;
  EXPECT_NEAR(losses.classification, classification, 1e-12);
  EXPECT_NEAR(losses.generation, generation, 1e-12);
  EXPECT_NEAR(losses.adversarial, deception, 1e-12);
  EXPECT_EQ(losses.disambiguation, 0);
}

// Where votes tell, their word takes the place of the noise model's.
TEST(PmlGanStep, learns_what_votes_say_of_noise) {
  Problem p({.generation = 0, .adversarial = 0, .disambiguation = 3, .noise_share = 0.4});
  const Panel<double> odds = random_panel<double>(kRows, kLabels, 21);
  Panel<double> right(kRows, kLabels);
  for (std::size_t i = 0; i < kRows; ++i)
    for (std::size_t j = 0; j < kLabels; ++j) right(i, j) = sigmoid(3 * odds(i, j));
  GanBatch<double> batch = p.batch();
  batch.right = right.view(kRows);
  p.step.see_labels(p.pool, batch, kMode);
  const GanLosses losses = p.step.generator_side(p.pool, batch, p.prior.view(kPrior), p.objective);
  const auto& c = p.step.contexts();
  double classification = 0, disambiguation = 0;
  for (std::size_t i = 0; i < kRows; ++i)
    for (std::size_t j = 0; j < kLabels; ++j) {
      const double y = p.y(i, j), by_votes = 1 - right(i, j);
      const double f = sigmoid(c.predictor.output()(i, j));
      const double noise = sigmoid(c.disambiguator.output()(i, j));
      const double target = y * (1 - 0.4 * by_votes - 0.6 * noise);
      classification -= (target * std::log(f) + (1 - target) * std::log(1 - f)) / kRows;
      disambiguation -=
          3 * y * (by_votes * std::log(noise) + (1 - by_votes) * std::log(1 - noise)) / kRows;
    }
  EXPECT_NEAR(losses.classification, classification, 1e-12);
  EXPECT_NEAR(losses.disambiguation, disambiguation, 1e-12);
}

// The calibrated objective has fixed targets: the noise model's belief and F's target are taken
// where the step was made, and only the rest is differentiated.
TEST(PmlGanStep, gradients_of_the_calibrated_objective_are_right) {
  Problem p({.generation = 0.7, .adversarial = 2, .disambiguation = 3, .noise_share = 0.4});
  p.generator_side();
  PerNetwork<Array<double>> g = copy(p.step.gradients());
  Panel<double> probability(kRows, kLabels), target(kRows, kLabels);
  const auto& c = p.step.contexts();
  for (std::size_t i = 0; i < kRows; ++i)
    for (std::size_t j = 0; j < kLabels; ++j) {
      const double f = sigmoid(c.predictor.output()(i, j)), r = std::exp(p.log_rates[j]);
      probability(i, j) = r * (1 - f) / (f + r * (1 - f));
      const double noise = sigmoid(c.disambiguator.output()(i, j));
      target(i, j) = p.y(i, j) * (1 - 0.4 * probability(i, j) - 0.6 * noise);
    }
  const auto loss = [&] {
    p.step.see_labels(p.pool, p.batch(), kMode);
    const GanLosses l = p.step.generator_side(p.pool, p.batch(), p.prior.view(kPrior), p.objective);
    double sum = l.generation + l.adversarial;
    for (std::size_t i = 0; i < kRows; ++i)
      for (std::size_t j = 0; j < kLabels; ++j) {
        const double f = c.predictor.output()(i, j), a = c.disambiguator.output()(i, j);
        sum += (softplus(f) - target(i, j) * f) / kRows;
        sum += 3 * p.y(i, j) * (softplus(a) - probability(i, j) * a) / kRows;
      }
    return sum;
  };
  EXPECT_NEAR(loss(), p.generator_side(), 1e-12);
  expect_gradient("F", loss, all(p.parameters.predictor), all(g.predictor));
  expect_gradient("D~", loss, all(p.parameters.disambiguator), all(g.disambiguator));
  expect_gradient("G", loss, all(p.parameters.generator), all(g.generator));
}

TEST(PmlGanStep, gradients_of_the_discriminator_are_right) {
  Problem p({});
  p.discriminator_side();
  PerNetwork<Array<double>> g = copy(p.step.gradients());
  expect_gradient(
      "D", [&] { return p.discriminator_side(); }, all(p.parameters.discriminator),
      all(g.discriminator));
}

TEST(PmlGanStep, gradients_of_the_ablations_are_right) {
  for (const double generation : {0.0, 0.7})
    for (const double adversarial : {0.0, 2.0}) {
      Problem p({.calibrated = false, .generation = generation, .adversarial = adversarial});
      p.generator_side();
      PerNetwork<Array<double>> g = copy(p.step.gradients());
      const auto loss = [&] { return p.generator_side(); };
      expect_gradient("D~", loss, all(p.parameters.disambiguator), all(g.disambiguator));
      if (generation + adversarial > 0)
        expect_gradient("G", loss, all(p.parameters.generator), all(g.generator));
    }
}

// Three iterations in single precision at sizes with ragged blocks.
std::vector<float> trained_parameters(std::size_t threads) {
  constexpr std::size_t rows = 61, prior_rows = 300, features = 37, labels = 5;
  const LayerSpec hidden{50, Activation::LeakyRelu, false, 0.5}, plain{50};
  const LayerSpec norm{70, Activation::LeakyRelu, true};
  const MlpSpec labeller{features, {hidden, hidden, {labels, Activation::Identity}}};
  GanStep<float> step({labeller,
                       labeller,
                       {labels, {plain, norm, norm, norm, {features, Activation::Tanh}}},
                       {features, {plain, plain, {1, Activation::Identity}}}},
                      rows, prior_rows, 1);
  ThreadPool pool(threads);
  PerNetwork<Array<float>>& parameters = step.parameters();
  const Panel<float> x = random_panel<float>(rows, features, 1);
  const Panel<float> prior = random_panel<float>(prior_rows, labels, 2);
  Panel<float> y(rows, labels);
  for (std::size_t i = 0; i < rows; ++i) y(i, i % labels) = y(i, i % 2) = 1;
  const std::vector<float> log_rates(labels, -1.0F), centre(features, 0.1F);
  const GanBatch<float> batch{{.dense = x.view(rows), .centre = centre.data()},
                              x.view(rows),
                              y.view(rows),
                              centre.data(),
                              log_rates.data()};
  std::vector<float> result;
  for (std::uint64_t t = 0; t < 3; ++t) {
    step.see_labels(pool, batch, {true, 1, t});
    step.generator_side(pool, batch, prior.view(prior_rows), {});
    step.discriminator_side(pool, batch, prior.view(prior_rows));
    auto& g = step.gradients();
    const auto update = [&](Array<float>& gradients, Array<float>& values) {
      AdamState<float> state(values.size());
      adam_step<float>(pool, {}, all(gradients), state, all(values));
      result.insert(result.end(), values.begin(), values.end());
    };
    update(g.predictor, parameters.predictor);
    update(g.disambiguator, parameters.disambiguator);
    update(g.generator, parameters.generator);
    update(g.discriminator, parameters.discriminator);
  }
  return result;
}

TEST(PmlGanStep, same_bits_for_any_number_of_threads) {
  const std::vector<float> one = trained_parameters(1);
  for (const std::size_t threads : {2U, 3U, 8U}) {
    const std::vector<float> many = trained_parameters(threads);
    ASSERT_EQ(one.size(), many.size());
    EXPECT_EQ(std::memcmp(one.data(), many.data(), one.size() * sizeof(float)), 0) << threads;
  }
}

// Batch norm sees all rows, wherever they are: in exact numbers a batch in parts is the batch.
TEST(PmlGanStep, a_batch_in_parts_has_the_gradients_of_the_batch) {
  Problem p({.generation = 0.7, .adversarial = 2, .disambiguation = 3, .noise_share = 0.4});
  Problem cut(p.objective, BatchParts(4));
  EXPECT_NEAR(cut.generator_side(), p.generator_side(), 1e-12);
  EXPECT_NEAR(cut.discriminator_side(), p.discriminator_side(), 1e-12);
  const auto expect_near = [](const Array<double>& parts, const Array<double>& whole) {
    for (std::size_t i = 0; i < whole.size(); ++i) EXPECT_NEAR(parts[i], whole[i], 1e-12);
  };
  expect_near(cut.step.gradients().predictor, p.step.gradients().predictor);
  expect_near(cut.step.gradients().disambiguator, p.step.gradients().disambiguator);
  expect_near(cut.step.gradients().generator, p.step.gradients().generator);
  expect_near(cut.step.gradients().discriminator, p.step.gradients().discriminator);
}

}  // namespace
}  // namespace sieve
