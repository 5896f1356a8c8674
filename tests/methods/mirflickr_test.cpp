// What independent implementations reach on real noise.
#include <gtest/gtest.h>

#include "labelsieve/data_io.h"
#include "labelsieve/learner.h"
#include "labelsieve/metrics.h"
#include "support/support.h"

namespace sieve::test {
namespace {

// Two of the labels have the same candidates in every row, so their scores are equal. The figures
// come from code in which rounding orders them; here the higher index ranks first.
Matrix broken_ties(Matrix scores) {
  for (std::size_t i = 0; i < scores.rows(); ++i)
    for (std::size_t k = 0; k < scores.cols(); ++k) scores(i, k) += 1e-5F * static_cast<float>(k);
  return scores;
}

struct Reached {
  double average_precision = 0, ranking_loss = 0;
};

Reached mean_of_splits(const Dataset& data, const MethodInfo& method) {
  constexpr int kSplits = 3;
  ThreadPool pool(1);
  Reached mean;
  for (int s = 1; s <= kSplits; ++s) {
    const Split split = split_random(data.rows(), 0.2, static_cast<std::uint64_t>(s));
    const Dataset test = data.select_rows(split.test);
    const auto model =
        method.make(Options(method.options))->fit(training_data(data).subset(split.train), {});
    const Matrix scores = broken_ties(model->scores(test.features, pool));
    mean.average_precision += average_precision(scores, *test.truth).value / kSplits;
    mean.ranking_loss += ranking_loss(scores, *test.truth).value / kSplits;
  }
  return mean;
}

TEST(Mirflickr, linear_methods_reach_the_known_figures) {
  REQUIRE_DATA_FOLDER(folder);
  ReadOptions options;
  options.role = LabelRole::Truth;
  const Dataset data = read_dataset({*folder + "/mirflickr"}, options);
  const Reached pml_ni = mean_of_splits(data, method_info("pml-ni"));
  EXPECT_NEAR(pml_ni.average_precision, 0.783, 0.01);
  EXPECT_NEAR(pml_ni.ranking_loss, 0.127, 0.01);
  const Reached schirn = mean_of_splits(data, method_info("schirn"));
  EXPECT_NEAR(schirn.average_precision, 0.788, 0.01);
  EXPECT_NEAR(schirn.ranking_loss, 0.126, 0.01);
}

}  // namespace
}  // namespace sieve::test
