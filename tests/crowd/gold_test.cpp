// The correction of probabilities by cells that an expert decided.
#include <gtest/gtest.h>

#include <cmath>

#include "base/random.h"
#include "crowd/gold_weights.h"
#include "crowd/log_odds.h"

namespace sieve::test {
namespace {

constexpr std::size_t kLabels = 10, kDraws = 20;

// Cells with random log-odds; an expert finds a label right as the log-odds say after a shift.
struct Drawn {
  std::vector<GoldCell> gold{};
  std::vector<double> log_odds{};
};
Drawn draw(std::size_t per_label, double shift, std::uint64_t seed) {
  Drawn drawn;
  for (std::uint32_t l = 0; l < kLabels; ++l)
    for (std::size_t k = 0; k < per_label; ++k) {
      Random random(seed, Purpose::Test, l, k);
      const double x = 2 * random.normal();
      const bool right = random.uniform() < probability_of(x + shift);
      drawn.gold.push_back({static_cast<std::uint32_t>(drawn.gold.size()), l, right});
      drawn.log_odds.push_back(x);
    }
  return drawn;
}

std::vector<GoldWeights> learnt_from(const Drawn& drawn) {
  return learn_gold(drawn.gold, kLabels,
                    [&](const GoldCell& cell) { return drawn.log_odds[cell.row]; });
}

// How far corrected probabilities are off, cell by cell: more than a calibration error, which lets
// cells make up for each other. On average over draws and over what a cell may have.
double mean_error(std::size_t per_label, double shift) {
  double sum = 0, cells = 0;
  for (std::size_t k = 0; k < kDraws; ++k)
    for (const auto gold = learnt_from(draw(per_label, shift, k));
         const std::size_t l : {std::size_t{0}, std::size_t{4}, std::size_t{9}})
      for (double x = -4; x <= 4; x += 0.5, ++cells)
        sum += std::fabs(corrected(gold, kLabels, l, x) - probability_of(x + shift));
  return sum / cells;
}

double error_without(double shift) {
  double sum = 0, cells = 0;
  for (double x = -4; x <= 4; x += 0.5, ++cells)
    sum += std::fabs(probability_of(x) - probability_of(x + shift));
  return sum / cells;
}

TEST(Gold, of_nobody_changes_nothing) {
  const auto gold = learn_gold({}, 2, [](const GoldCell&) { return 0.0; });
  for (const double x : {-9.0, -0.3, 0.0, 2.0})
    EXPECT_DOUBLE_EQ(corrected(gold, 2, 1, x), probability_of(x));
}

TEST(Gold, of_five_cells_per_label_corrects_what_is_off_and_keeps_what_is_right) {
  EXPECT_LT(mean_error(5, -1.5), 0.5 * error_without(-1.5));
  EXPECT_LT(mean_error(5, 1.5), 0.5 * error_without(1.5));
  EXPECT_LT(mean_error(5, 0), 0.03);
  EXPECT_LT(mean_error(30, -1.5), 0.5 * mean_error(5, -1.5));
}

TEST(Gold, grows_with_the_log_odds_and_stays_a_probability) {
  const auto gold = learnt_from(draw(5, -1.5, 3));
  for (std::size_t label = 0; label < kLabels; ++label) {
    double before = 0;
    for (double x = -30; x <= 30; x += 0.25) {
      const double now = corrected(gold, kLabels, label, x);
      EXPECT_GE(now, before);
      EXPECT_LT(now, 1);
      before = now;
    }
    EXPECT_GT(corrected(gold, kLabels, label, -30), 0);
  }
}

// The line of a label that nobody decided is that of all.
TEST(Gold, of_other_labels_corrects_a_label_without_any) {
  Drawn drawn = draw(30, -1.5, 1);
  std::erase_if(drawn.gold, [](const GoldCell& cell) { return cell.label == 4; });
  const auto gold = learnt_from(drawn);
  EXPECT_EQ(gold[4].cells, 0U);
  EXPECT_NEAR(corrected(gold, kLabels, 4, 1.5), 0.5, 0.12);
}

}  // namespace
}  // namespace sieve::test
