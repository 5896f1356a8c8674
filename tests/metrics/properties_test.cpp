#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "base/random.h"
#include "metrics/golden.h"

namespace sieve {
namespace {

constexpr std::size_t kRows = 80, kLabels = 9;

// Scores with many ties and rows of every kind.
class Properties : public testing::TestWithParam<std::uint64_t> {
 protected:
  Properties() {
    Random random(GetParam(), Purpose::Test);
    for (std::size_t i = 0; i < kRows; ++i) {
      const double density = random.uniform();
      for (std::size_t k = 0; k < kLabels; ++k) {
        scores_(i, k) = static_cast<double>(random.below(6)) - 3;
        truth_.set(i, k, random.chance(density));
        candidates_.set(i, k, truth_.get(i, k) || random.chance(.5));
      }
    }
  }

  std::vector<NamedMeasure> measures(const MatrixD& scores, const MetricOptions& o = {}) const {
    return evaluate(truth_, {.wide_scores = &scores, .candidates = &candidates_, .options = o});
  }

  template <class Map>
  MatrixD mapped(Map&& map) const {
    MatrixD result(kRows, kLabels);
    for (std::size_t i = 0; i < kRows; ++i)
      for (std::size_t k = 0; k < kLabels; ++k) result(i, k) = map(scores_(i, k));
    return result;
  }

  MatrixD scores_{kRows, kLabels};
  LabelMatrix truth_{kRows, kLabels}, candidates_{kRows, kLabels};
};

TEST_P(Properties, an_increasing_map_of_the_scores_changes_nothing) {
  for (const Ties ties : {Ties::Sklearn, Ties::Matlab}) {
    const auto before = measures(scores_, {.ties = ties});
    const auto after =
        measures(mapped([](double s) { return std::exp(3 * s) - 7; }), {.ties = ties});
    for (std::size_t m = 0; m < before.size(); ++m)
      EXPECT_EQ(before[m].result.value, after[m].result.value) << before[m].metric.key;
  }
}

TEST_P(Properties, float_and_double_agree_on_numbers_both_can_hold) {
  Matrix narrow(kRows, kLabels);
  for (std::size_t i = 0; i < kRows; ++i)
    for (std::size_t k = 0; k < kLabels; ++k) narrow(i, k) = static_cast<float>(scores_(i, k));
  const auto wide = measures(scores_);
  const auto other = evaluate(truth_, {.scores = &narrow, .candidates = &candidates_});
  for (std::size_t m = 0; m < wide.size(); ++m)
    EXPECT_EQ(wide[m].result.value, other[m].result.value) << wide[m].metric.key;
}

TEST_P(Properties, the_order_of_labels_does_not_matter) {
  std::vector<std::size_t> order(kLabels);
  std::iota(order.begin(), order.end(), std::size_t{0});
  Random(GetParam(), Purpose::Test, 1).shuffle(std::span<std::size_t>(order));
  MatrixD scores(kRows, kLabels);
  for (std::size_t i = 0; i < kRows; ++i)
    for (std::size_t k = 0; k < kLabels; ++k) scores(i, k) = scores_(i, order[k]);
  const LabelMatrix candidates = candidates_.select_labels(order),
                    truth = truth_.select_labels(order);
  const auto before = measures(scores_);
  const auto after = evaluate(truth, {.wide_scores = &scores, .candidates = &candidates});
  for (std::size_t m = 0; m < before.size(); ++m)
    EXPECT_NEAR(before[m].result.value, after[m].result.value, 1e-14) << before[m].metric.key;
}

TEST_P(Properties, perfect_scores_are_perfect) {
  MatrixD scores(kRows, kLabels);
  for (std::size_t i = 0; i < kRows; ++i)
    truth_.for_each(i, [&](std::size_t k) { scores(i, k) = 1; });
  const LabelMatrix decisions = decide_by_threshold(scores, .5);
  const MetricOptions o{.zero_division = 1};
  for (const NamedMeasure& m : evaluate(truth_, {.wide_scores = &scores,
                                                .decisions = &decisions,
                                                .candidates = &candidates_,
                                                .options = o})) {
    if (m.metric.key == "coverage") continue;  // at best it is the number of relevant labels
    EXPECT_DOUBLE_EQ(m.result.value, m.metric.better == Direction::HigherIsBetter ? 1 : 0)
        << m.metric.key;
  }
}

TEST_P(Properties, reversed_scores_mirror_the_areas) {
  const MatrixD reversed = mapped([](double s) { return -s; });
  EXPECT_NEAR(micro_auc(reversed, truth_).value, 1 - micro_auc(scores_, truth_).value, 1e-14);
  EXPECT_NEAR(macro_auc(reversed, truth_).value, 1 - macro_auc(scores_, truth_).value, 1e-14);
  EXPECT_NEAR(cleaning_auc(reversed, candidates_, truth_).value,
              1 - cleaning_auc(scores_, candidates_, truth_).value, 1e-14);
}

TEST_P(Properties, worst_scores_get_every_pair_wrong) {
  MatrixD scores(kRows, kLabels);
  for (std::size_t i = 0; i < kRows; ++i)
    truth_.for_each(i, [&](std::size_t k) { scores(i, k) = -1; });
  EXPECT_EQ(ranking_loss(scores, truth_).value, 1);
  EXPECT_EQ(one_error(scores, truth_).value, 1);
  EXPECT_EQ(micro_auc(scores, truth_).value, 0);
  EXPECT_DOUBLE_EQ(coverage(scores, truth_).value, (kLabels - 1.0) / kLabels);
}

TEST_P(Properties, pessimistic_ties_are_never_better_than_matlab_ties) {
  const MetricOptions matlab{.ties = Ties::Matlab};
  EXPECT_GE(coverage(scores_, truth_).value, coverage(scores_, truth_, matlab).value);
  EXPECT_LE(average_precision(scores_, truth_).value,
            average_precision(scores_, truth_, matlab).value);
}

INSTANTIATE_TEST_SUITE_P(Seeds, Properties, testing::Range<std::uint64_t>(0, 5));

}  // namespace
}  // namespace sieve
