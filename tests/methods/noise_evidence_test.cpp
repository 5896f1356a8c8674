#include "methods/forest/noise_evidence.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/random.h"
#include "support/support.h"

namespace sieve::test {
namespace {

// Labels that features tell with this power (the spread of log-odds), candidates that come with
// noise at a rate for each label, and probabilities that are as rough as those of a few trees.
struct Noisy {
  Noisy(std::size_t rows, const std::vector<double>& rates, double power)
      : probabilities(rows, rates.size()), candidates(rows, rates.size()) {
    Random random(9, Purpose::Test);
    for (std::size_t i = 0; i < rows; ++i)
      for (std::size_t k = 0; k < rates.size(); ++k) {
        const double centre = -2 + 0.3 * static_cast<double>(k);
        const double right = 1 / (1 + std::exp(-centre - power * random.normal()));
        const double candidate = right + (1 - right) * rates[k];
        const double odds = std::log(candidate / (1 - candidate)) + 0.4 * random.normal();
        probabilities(i, k) = static_cast<float>(1 / (1 + std::exp(-odds)));
        candidates.set(i, k, random.chance(candidate));
      }
  }
  double no_noise(std::size_t threads = 1) const {
    ThreadPool pool(threads);
    return weigh_noise(probabilities, candidates, pool).no_noise;
  }
  Matrix probabilities;
  LabelMatrix candidates;
};

TEST(NoiseEvidence, is_missing_where_there_is_no_noise) {
  EXPECT_GT(Noisy(2000, std::vector<double>(8), 3).no_noise(), 0.5);
}

TEST(NoiseEvidence, is_missing_where_features_cannot_tell) {
  EXPECT_GT(Noisy(2000, std::vector<double>(8), 0.4).no_noise(), 0.1);
}

TEST(NoiseEvidence, is_there_where_all_labels_are_noisy) {
  EXPECT_LT(Noisy(2000, std::vector<double>(6, 0.3), 3).no_noise(), 0.01);
}

TEST(NoiseEvidence, is_there_where_some_labels_are_noisy) {
  EXPECT_LT(Noisy(2000, {0, 0, 0, 0.3, 0.4, 0.5}, 3).no_noise(), 0.01);
}

TEST(NoiseEvidence, tells_the_rates_of_labels_that_features_tell) {
  const Noisy noisy(4000, {0, 0.1, 0.2, 0.3, 0.4, 0.5}, 4);
  ThreadPool pool(2);
  const std::vector<float> rates = weigh_noise(noisy.probabilities, noisy.candidates, pool).rates;
  for (std::size_t k = 0; k < rates.size(); ++k)
    EXPECT_NEAR(rates[k], 0.1F * static_cast<float>(k), 0.15F) << k;
  EXPECT_TRUE(std::ranges::is_sorted(rates));
}

// Labels in threes, which go by the kind of a row alone, and features that know next to nothing of
// it. Beside them candidates at random.
struct InThrees {
  InThrees(std::size_t rows, double noise) : probabilities(rows, 9), candidates(rows, 9) {
    Random random(4, Purpose::Test);
    for (std::size_t i = 0; i < rows; ++i) {
      const std::size_t kind = random.below(4);
      for (std::size_t k = 0; k < 9; ++k) {
        const double right = k / 3 == kind ? 0.9 : 0.03;
        const double guess = 0.1 + (k / 3 == kind ? 0.1 : 0.0) + 0.3 * random.uniform(0, 1);
        probabilities(i, k) = static_cast<float>(guess + (1 - guess) * noise);
        candidates.set(i, k, random.chance(right) || random.chance(noise));
      }
    }
  }
  Matrix probabilities;
  LabelMatrix candidates;
};

TEST(NoiseEvidence, is_missing_where_labels_come_together) {
  ThreadPool pool(1);
  const InThrees clean(1500, 0), noisy(1500, 0.4);
  EXPECT_FALSE(find_noise(clean.probabilities, clean.candidates, pool).has_value());
  EXPECT_TRUE(find_noise(noisy.probabilities, noisy.candidates, pool).has_value());
}

TEST(NoiseEvidence, is_looked_for_in_some_of_very_many_rows) {
  ThreadPool pool(2);
  const InThrees noisy(45000, 0.4);
  EXPECT_TRUE(find_noise(noisy.probabilities, noisy.candidates, pool).has_value());
}

LabelMatrix filled(LabelMatrix labels, std::size_t count) {
  Random random(12, Purpose::Test);
  for (std::size_t i = 0; i < labels.rows(); ++i)
    while (labels.count(i) < count) labels.set(i, random.below(labels.labels()));
  return labels;
}

TEST(NoiseEvidence, knows_rows_that_were_filled_up) {
  const LabelMatrix labels = InThrees(300, 0).candidates;
  EXPECT_FALSE(are_filled_up(labels));
  EXPECT_FALSE(are_filled_up(InThrees(300, 0.4).candidates));
  EXPECT_TRUE(are_filled_up(filled(labels.clone(), 5)));
  EXPECT_FALSE(are_filled_up(filled(labels.clone(), 9)));       // nothing is left off
  EXPECT_FALSE(are_filled_up(filled(LabelMatrix(300, 9), 1)));  // one class for each row
  EXPECT_FALSE(are_filled_up(LabelMatrix(0, 9)));
}

// Features that tell next to nothing, so that the number of candidates in a row has to speak.
TEST(NoiseEvidence, is_there_where_rows_were_filled_up_though_features_are_weak) {
  ThreadPool pool(1);
  const Noisy weak(450, std::vector<double>(6, 0.5), 1);
  const LabelMatrix once = weak.candidates.clone(), full = filled(once.clone(), 5);
  EXPECT_TRUE(find_noise(weak.probabilities, full, pool).has_value());
}

TEST(LabelSupport, tells_labels_that_come_together_and_nothing_of_others) {
  ThreadPool pool(2);
  const InThrees threes(1500, 0);
  const auto gap = [&](const Matrix& p, const LabelMatrix& y) {  // of label 0, on and off
    double sum[2] = {0, 0}, count[2] = {0, 0};
    for (std::size_t i = 0; i < p.rows(); ++i) {
      const std::size_t on = y.get(i, 0) ? 1 : 0;
      sum[on] += double{p(i, 0)};
      count[on] += 1;
    }
    return sum[1] / count[1] - sum[0] / count[0];
  };
  const Matrix told = supported_by_other_labels(threes.probabilities, threes.candidates, pool);
  EXPECT_LT(gap(threes.probabilities, threes.candidates), 0.15);
  EXPECT_GT(gap(told, threes.candidates), 0.4);
  const Noisy apart(1500, std::vector<double>(6), 1);
  const Matrix alone = supported_by_other_labels(apart.probabilities, apart.candidates, pool);
  EXPECT_NEAR(gap(alone, apart.candidates), gap(apart.probabilities, apart.candidates), 0.05);
}

// Rows filled up to one number of candidates: what is missing says what must be there. That is no
// support.
TEST(LabelSupport, does_not_count_labels_that_shut_each_other_out) {
  ThreadPool pool(1);
  constexpr std::size_t kRows = 1000, kLabels = 6;
  Matrix p(kRows, kLabels);
  LabelMatrix y(kRows, kLabels);
  Random random(6, Purpose::Test);
  for (std::size_t i = 0; i < kRows; ++i) {
    for (float& value : p.row(i)) value = static_cast<float>(random.uniform(0.45, 0.55));
    while (y.count(i) < 3) y.set(i, random.below(kLabels));
  }
  const Matrix told = supported_by_other_labels(p, y, pool);
  for (std::size_t i = 0; i < kRows; ++i)
    for (const float value : told.row(i)) EXPECT_NEAR(value, 0.5F, 0.1F);
}

TEST(NoiseEvidence, is_the_same_for_any_number_of_threads) {
  const Noisy noisy(300, {0, 0.2, 0.4}, 2);
  EXPECT_EQ(noisy.no_noise(), noisy.no_noise(3));
}

TEST(NoiseEvidence, survives_labels_of_all_rows_of_none_of_one_and_one_row) {
  for (const std::size_t rows : {1, 2, 40}) {
    Noisy noisy(rows, {0.1, 0.1, 0.1, 0.1}, 2);
    for (std::size_t i = 0; i < rows; ++i) {
      noisy.candidates.set(i, 0, true);
      noisy.candidates.set(i, 1, false);
      noisy.candidates.set(i, 2, i == 0);
      noisy.probabilities(i, 0) = 1;
      noisy.probabilities(i, 1) = 0;
    }
    EXPECT_GE(noisy.no_noise(), 0);
    EXPECT_LE(noisy.no_noise(), 1);
    ThreadPool pool(1);
    find_noise(noisy.probabilities, noisy.candidates, pool);
    const Matrix told = supported_by_other_labels(noisy.probabilities, noisy.candidates, pool);
    for (std::size_t i = 0; i < rows; ++i)
      for (const float value : told.row(i)) EXPECT_TRUE(value >= 0 && value <= 1) << value;
  }
}

}  // namespace
}  // namespace sieve::test
