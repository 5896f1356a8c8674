#include "methods/forest/noise_evidence.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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
    return probability_of_no_noise(probabilities, candidates, pool);
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
  }
}

}  // namespace
}  // namespace sieve::test
