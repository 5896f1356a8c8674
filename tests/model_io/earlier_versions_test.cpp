// Models that earlier versions wrote load, and give the scores they gave.
#include <gtest/gtest.h>

#include <algorithm>

#include "labelsieve/data_io.h"
#include "labelsieve/learner.h"
#include "labelsieve/model_io.h"
#include "labelsieve/score_table.h"

namespace sieve::test {
namespace {

std::string fixture(const std::string& name) {
  return std::string(TEST_SOURCE_DIR) + "/fixtures/0.1.0/" + name;
}

class EarlierVersion : public ::testing::TestWithParam<std::string> {};

TEST_P(EarlierVersion, gave_the_same_scores) {
  const Dataset rows = read_dataset({fixture("rows.csv")});
  const auto model = load_model(fixture(GetParam() + ".model"));
  const MatrixD wanted = read_score_table(fixture(GetParam() + ".csv"), rows.label_names).values;
  ThreadPool pool(2);
  const Matrix dense = model->scores(rows.features, pool);
  const Matrix sparse = model->scores(Features(rows.features.to_sparse()), pool);
  ASSERT_EQ(wanted.rows(), rows.rows());
  for (std::size_t i = 0; i < wanted.rows(); ++i)
    for (std::size_t k = 0; k < wanted.cols(); ++k) {
      EXPECT_NEAR(double{dense(i, k)}, wanted(i, k), 1e-5) << i << " " << k;
      EXPECT_EQ(dense(i, k), sparse(i, k)) << i << " " << k;
    }
}

INSTANTIATE_TEST_SUITE_P(Models, EarlierVersion,
                         ::testing::Values("capml", "comes-hl", "comes-rl", "ml-rbf", "mlp",
                                           "mlp-noise", "nlr", "particle-map", "particle-vls",
                                           "pml-fp", "pml-gan", "pml-lc", "pml-ni", "schirn"),
                         [](const auto& method) {
                           std::string name = method.param;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace sieve::test
