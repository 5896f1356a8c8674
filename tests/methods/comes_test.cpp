#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "base/random.h"
#include "labelsieve/learner.h"
#include "labelsieve/prepare.h"
#include "methods/comes/risks.h"
#include "support/gradient_check.h"

namespace sieve {
namespace {

using test::expect_gradient;
using test::random_panel;

constexpr std::size_t kRows = 7, kLabels = 5;
const std::vector<double> kWeights = {1, 1.3, 2.5, 1.1, 4};

Panel<double> random_candidates(std::uint64_t seed) {
  Panel<double> y = random_panel<double>(kRows, kLabels, seed);
  for (std::size_t i = 0; i < kRows; ++i)
    for (std::size_t j = 0; j < kLabels; ++j) y(i, j) = y(i, j) > 0 ? 1 : 0;
  return y;
}

template <class Risk>
void check_gradient(const char* what, const Risk& risk) {
  Panel<double> logits = random_panel<double>(kRows, kLabels, 3), gradient(kRows, kLabels),
                other(kRows, kLabels);
  const Panel<double> y = random_candidates(4);
  std::vector<double> room(2 * kLabels);
  risk(logits.view(kRows), y.view(kRows), room, gradient.view(kRows));
  expect_gradient(
      what, [&] { return risk(logits.view(kRows), y.view(kRows), room, other.view(kRows)); },
      {logits.row(0), kRows * logits.stride()}, {gradient.row(0), kRows * logits.stride()});
}

TEST(ComesRisks, gradients_are_right) {
  using V = View<double>;
  using C = View<const double>;
  using Room = std::span<double>;
  check_gradient("hamming", [](C f, C y, Room room, V g) {
    return hamming_risk<double>(f, y, kWeights, room, g);
  });
  for (const double flood : {0.0, 5.0})  // below and above the risk
    check_gradient("ranking", [flood](C f, C y, Room room, V g) {
      return ranking_risk<double>(f, y, kWeights, flood, room.first(kLabels), g);
    });
}

double cross_entropy_of(double logit, bool relevant) {
  return std::log1p(std::exp(relevant ? -logit : logit));
}

TEST(ComesRisks, the_hamming_risk_is_what_its_formula_says) {
  const Panel<double> f = random_panel<double>(kRows, kLabels, 3), y = random_candidates(4);
  Panel<double> gradient(kRows, kLabels);
  std::vector<double> room(2 * kLabels);
  double expected = 0;
  for (std::size_t j = 0; j < kLabels; ++j) {
    double all = 0, relevant = 0, irrelevant = 0;
    for (std::size_t i = 0; i < kRows; ++i) {
      all += cross_entropy_of(f(i, j), true) / kRows;
      if (y(i, j) != 0) continue;
      relevant += kWeights[j] * cross_entropy_of(f(i, j), true) / kRows;
      irrelevant += kWeights[j] * cross_entropy_of(f(i, j), false) / kRows;
    }
    expected += (std::abs(all - relevant) + irrelevant) / kLabels;
  }
  EXPECT_NEAR(
      hamming_risk<double>(f.view(kRows), y.view(kRows), kWeights, room, gradient.view(kRows)),
      expected, 1e-12);
}

TEST(ComesRisks, the_ranking_risk_is_what_its_formula_says) {
  const Panel<double> f = random_panel<double>(kRows, kLabels, 3), y = random_candidates(4);
  Panel<double> gradient(kRows, kLabels);
  std::vector<double> room(kLabels);
  double expected = 0;
  for (std::size_t i = 0; i < kRows; ++i)
    for (std::size_t j = 0; j < kLabels; ++j)
      for (std::size_t k = 0; k < kLabels; ++k)
        if (j != k && y(i, j) == 0)
          expected += kWeights[j] / (1 + std::exp(f(i, k) - f(i, j))) / (kRows * 10.0);
  const auto risk = [&](double flood) {
    return ranking_risk<double>(f.view(kRows), y.view(kRows), kWeights, flood, room,
                                gradient.view(kRows));
  };
  EXPECT_NEAR(risk(0), expected, 1e-12);
  EXPECT_NEAR(risk(3), 2 * 3 - expected, 1e-12);  // |R - b| + b
}

TEST(ComesRisks, survive_extreme_logits) {
  Panel<float> f(1, 2), y(1, 2), gradient(1, 2);
  f(0, 0) = -1e4F, f(0, 1) = 1e4F;
  const std::vector<float> weights = {1, 2};
  std::vector<float> room(4);
  EXPECT_TRUE(
      std::isfinite(hamming_risk<float>(f.view(1), y.view(1), weights, room, gradient.view(1))));
  EXPECT_TRUE(std::isfinite(ranking_risk<float>(f.view(1), y.view(1), weights, 0,
                                                std::span(room).first(2), gradient.view(1))));
  EXPECT_TRUE(std::isfinite(gradient(0, 0)) && std::isfinite(gradient(0, 1)));
}

// Rows with label j right at the rate `prior`, candidates added at the rate `noise`, and scores
// that tell right rows from others with some overlap.
struct Crowd {
  Matrix scores;
  LabelMatrix candidates;
};
Crowd crowd_with(const std::vector<double>& prior, const std::vector<double>& noise,
                 std::size_t rows) {
  Crowd crowd{Matrix(rows, prior.size()), LabelMatrix(rows, prior.size())};
  Random random(9, Purpose::Test);
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < prior.size(); ++j) {
      const bool right = random.chance(prior[j]);
      if (right || random.chance(noise[j])) crowd.candidates.set(i, j);
      crowd.scores(i, j) = static_cast<float>(random.normal() + (right ? 2.5 : 0));
    }
  return crowd;
}

TEST(ComesNoise, priors_and_rates_are_found_within_four_hundredths) {
  const std::vector<double> prior = {0.05, 0.2, 0.5, 0.2}, noise = {0.3, 0.5, 0.1, 0};
  const Crowd crowd = crowd_with(prior, noise, 4000);
  const NoiseModel found = estimate_noise(crowd.scores, crowd.candidates);
  for (std::size_t j = 0; j < prior.size(); ++j) {
    EXPECT_NEAR(found.prior[j], prior[j], 0.04) << j;
    EXPECT_NEAR(found.rate[j], noise[j], 0.04) << j;
  }
}

TEST(ComesNoise, labels_never_or_always_ticked_get_finite_answers) {
  const Crowd crowd = crowd_with({0, 1}, {0, 0}, 50);
  const NoiseModel found = estimate_noise(crowd.scores, crowd.candidates);
  EXPECT_FLOAT_EQ(found.prior[0], 0.02F);  // 1 / rows: never quite nothing
  EXPECT_EQ(found.rate[0], 0);
  EXPECT_EQ(found.prior[1], 1);
  EXPECT_EQ(found.rate[1], 0);
}

TEST(ComesCut, has_the_least_hamming_loss_though_it_sees_candidates_only) {
  const Crowd crowd = crowd_with({0.3}, {0.4}, 4000);
  const NoiseModel noise{{0.4F}, {0.3F}};
  // With these two bells right rows outweigh others from here on.
  const double best = 1.25 + std::log(0.7 / 0.3) / 2.5;
  EXPECT_NEAR(best_hamming_cut(crowd.scores, crowd.candidates, noise), best, 0.3);
}

// That the networks learn by the risk, and not by the likelihood they warm up with.
TEST(Comes, the_flood_changes_what_is_learnt) {
  ThreadPool pool(1);
  const Dataset data = make_synthetic({.rows = 200, .features = 10}, pool);
  const MethodInfo& method = method_info("comes-rl");
  std::vector<Matrix> scores;
  for (const char* flood : {"0", "2"}) {
    Options options(method.options);
    for (const auto& [key, value] :
         {std::pair{"members", "1"}, {"width", "8"}, {"epochs", "3"}, {"flooding", flood}})
      options.set(key, value);
    scores.push_back(
        method.make(options)->fit(training_data(data), {})->scores(data.features, pool));
  }
  EXPECT_FALSE(std::ranges::equal(scores[0].row(0), scores[1].row(0)));
}

}  // namespace
}  // namespace sieve
