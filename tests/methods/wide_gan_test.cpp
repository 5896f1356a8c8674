#include "methods/pml_gan/wide_gan.h"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "methods/pml_gan/step.h"
#include "methods/wide_problem.h"

namespace sieve {
namespace {

using test::all;
using Problem = test::WideProblem<double>;

constexpr std::size_t kManyRows = 300;    // more than one block of a tile
constexpr AdamOptions kStill{.rate = 0};  // nothing moves: only the optimiser's means tell a step
constexpr GanObjective kPaper{.calibrated = false, .generation = 0.7, .adversarial = 2};

// Adam's first mean after its first step is the gradient times 1 - beta1.
std::vector<double> gradient_in(const AdamState<double>& state) {
  std::vector<double> gradient(state.first.begin(), state.first.end());
  for (double& g : gradient) g /= 1 - kStill.beta1;
  return gradient;
}

void expect_close(const char* what, const std::vector<double>& got, const Array<double>& wanted) {
  ASSERT_EQ(got.size(), wanted.size());
  double largest = 0;
  for (const double g : wanted) largest = std::max(largest, std::abs(g));
  ASSERT_GT(largest, 0) << what;
  for (std::size_t i = 0; i < got.size(); ++i)
    ASSERT_NEAR(got[i], wanted[i], 1e-11 * largest) << what << ", entry " << i;
}

// One row per input, as Mlp has it, from one row per feature.
std::vector<double> turned_back(std::vector<double> values, const LayerPlace& last) {
  const std::vector<double> from = values;
  for (std::size_t i = 0; i < last.input_stride; ++i)
    for (std::size_t j = 0; j < last.stride; ++j)
      values[last.weights + i * last.stride + j] = from[last.weights + j * last.input_stride + i];
  return values;
}

void expect_the_plain_step(const GanObjective& objective, bool as_sparse,
                           std::size_t hidden_layers = 2) {
  Problem wide(kManyRows, 0, hidden_layers);
  GanStep<double> plain(wide.specs, Problem::kRows, kManyRows, 1);
  const GanBatch<double> batch = wide.batch(as_sparse);
  plain.see_labels(wide.pool, batch, {true, 5, 3});
  const View<const double> prior = std::as_const(wide.prior).view(kManyRows);
  const GanLosses expected = plain.generator_side(wide.pool, batch, prior, objective);
  const GanLosses losses = wide.generator_turn(kStill, objective, 3, as_sparse);
  EXPECT_NEAR(losses.classification, expected.classification, 1e-12);
  EXPECT_NEAR(losses.disambiguation, expected.disambiguation, 1e-12);
  EXPECT_NEAR(losses.generation, expected.generation, 1e-11 * expected.generation);
  EXPECT_NEAR(losses.adversarial, expected.adversarial, 1e-12);
  const PerNetwork<AdamState<double>>& moved = wide.gan.optimisers();
  expect_close("F", gradient_in(moved.predictor), plain.gradients().predictor);
  expect_close("D~", gradient_in(moved.disambiguator), plain.gradients().disambiguator);
  if (objective.generation != 0 || objective.adversarial != 0)
    expect_close("G", turned_back(gradient_in(moved.generator), wide.gan.generated()),
                 plain.gradients().generator);
  EXPECT_NEAR(wide.discriminator_turn(kStill, as_sparse),
              plain.discriminator_side(wide.pool, batch, prior), 1e-12);
  expect_close("D", gradient_in(moved.discriminator), plain.gradients().discriminator);
}

TEST(WideGan, makes_the_step_of_the_plain_version) {
  for (const bool as_sparse : {true, false}) {
    expect_the_plain_step(kPaper, as_sparse);
    expect_the_plain_step({.generation = 0.7, .adversarial = 2, .noise_share = 0.4}, as_sparse);
  }
}

TEST(WideGan, makes_the_step_of_the_plain_version_with_linear_labellers) {
  expect_the_plain_step(kPaper, true, 0);
}

TEST(WideGan, makes_the_step_of_the_plain_version_s_ablations) {
  for (const double generation : {0.0, 0.7})
    for (const double adversarial : {0.0, 2.0})
      expect_the_plain_step({.generation = generation, .adversarial = adversarial}, true);
}

TEST(WideGan, gradients_with_dropout_are_those_of_central_differences) {
  Problem p(20, 0.25);
  const auto loss = [&] {
    const GanLosses l = p.generator_turn(kStill, kPaper);
    return l.classification + l.generation + l.adversarial;
  };
  loss();
  PerNetwork<AdamState<double>>& moved = p.gan.optimisers();
  const std::vector<double> f = gradient_in(moved.predictor);
  const std::vector<double> a = gradient_in(moved.disambiguator);
  test::expect_gradient("F", loss, all(p.gan.parameters().predictor), f);
  test::expect_gradient("D~", loss, all(p.gan.parameters().disambiguator), a);
}

std::vector<float> trained(std::size_t threads, std::size_t kept_bytes) {
  test::WideProblem<float> p(kManyRows, 0.5, 2, kept_bytes);
  std::vector<float> result;
  ThreadPool pool(threads);
  for (std::uint64_t t = 0; t < 3; ++t) {
    p.gan.see_labels(pool, p.batch(), {true, 5, t});
    const auto prior = std::as_const(p.prior).view(kManyRows);
    const GanLosses losses = p.gan.generator_turn(pool, {}, p.batch(), prior, {});
    result.push_back(static_cast<float>(losses.generation));
    p.gan.discriminator_turn(pool, {.beta1 = 0.5}, p.batch(), prior);
  }
  const PerNetwork<Array<float>>& values = p.gan.parameters();
  for (const Array<float>* part :
       {&values.predictor, &values.disambiguator, &values.generator, &values.discriminator})
    result.insert(result.end(), part->begin(), part->end());
  return result;
}

void expect_same_bits(const std::vector<float>& a, const std::vector<float>& b) {
  ASSERT_EQ(a.size(), b.size());
  EXPECT_EQ(std::memcmp(a.data(), b.data(), a.size() * sizeof(float)), 0);
}

TEST(WideGan, same_bits_for_any_number_of_threads) {
  const std::vector<float> one = trained(1, kKeptBytes);
  for (const std::size_t threads : {2U, 3U, 8U})
    expect_same_bits(one, trained(threads, kKeptBytes));
}

TEST(WideGan, same_bits_however_much_is_kept) {
  const std::vector<float> all = trained(2, kKeptBytes);
  for (const std::size_t bytes : {0U, 1U << 20}) expect_same_bits(all, trained(2, bytes));
}

}  // namespace
}  // namespace sieve
