// Files that earlier versions wrote load, and give what they gave.
#include <gtest/gtest.h>

#include <algorithm>

#include "labelsieve/data_io.h"
#include "labelsieve/learner.h"
#include "labelsieve/model_io.h"
#include "support/places.h"

namespace sieve::test {
namespace {

std::string fixture(const std::string& name, const std::string& version = "0.1.0") {
  return tests_folder() + "/fixtures/" + version + "/" + name;
}

constexpr const char* kEarly = "0.2.0-early";

// The model in the file and its own scores in the table.
void expect_same_scores(const std::string& model_file, const std::string& scores) {
  const Dataset rows = read_dataset({fixture("rows.csv")});
  const auto model = load_model(model_file);
  const MatrixD wanted = read_score_table(scores, rows.label_names).values;
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

class EarlierModel : public ::testing::TestWithParam<std::string> {};

TEST_P(EarlierModel, gave_the_same_scores) {
  expect_same_scores(fixture(GetParam() + ".model"), fixture(GetParam() + ".csv"));
}

TEST(EarlierVersion, called_the_oracle_clean) {
  expect_same_scores(fixture("clean.model", kEarly), fixture("clean.csv", kEarly));
  EXPECT_EQ(&method_info("clean"), &method_info("oracle"));
}

TEST(EarlierVersion, left_a_checkpoint_that_ends_in_its_model) {
  const ModelState checkpoint =
      load_state(fixture("pml-gan.checkpoint", kEarly), StateKind::Checkpoint);
  const ModelState wanted = load_state(fixture("pml-gan.model", kEarly), StateKind::Model);
  FitOptions fit;
  fit.resume_from = &checkpoint;
  const auto model = make_learner("pml-gan", checkpoint.options)
                         ->fit(training_data(read_dataset({fixture("rows.csv")})), fit);
  ASSERT_EQ(model->state().tensors.size(), wanted.tensors.size());
  for (std::size_t i = 0; i < wanted.tensors.size(); ++i) {
    EXPECT_EQ(model->state().tensors[i].name, wanted.tensors[i].name);
    EXPECT_EQ(model->state().tensors[i].values, wanted.tensors[i].values);
  }
}

TEST(EarlierVersion, said_its_choices_in_notes) {
  const ModelState checkpoint =
      load_state(fixture("pml-gan.checkpoint", "0.2.0"), StateKind::Checkpoint);
  EXPECT_EQ(checkpoint.choices.seed, 2U);
  EXPECT_EQ(checkpoint.choices.rows, 40U);
  EXPECT_EQ(checkpoint.choices.data_checksum, 1183924296432945082U);
  EXPECT_EQ(checkpoint.choices.storage, RowStorage::Dense);
  EXPECT_EQ(checkpoint.choices.counters.at("member0/best_loss"), 4610872811433438178U);
  EXPECT_TRUE(checkpoint.notes.empty());
  EXPECT_EQ(load_state(fixture("mlp.model", "0.2.0"), StateKind::Model).choices.activation,
            "leaky-relu");
  const Choices first = load_state(fixture("pml-lc.model"), StateKind::Model).choices;
  EXPECT_TRUE(first.decision && first.seed && first.rows);
}

TEST(EarlierVersion, compared_categories_as_numbers) {
  const auto model = load_model(fixture("category.model", kEarly));
  ReadOptions options;
  options.recipe = model->state().recipe;
  RecipeTally tally;
  options.tally = &tally;
  const Dataset rows = read_dataset({fixture("category-rows.csv", kEarly)}, options);
  const MatrixD wanted = read_score_table(fixture("category.csv", kEarly), rows.label_names).values;
  ThreadPool pool(2);
  const Matrix scores = model->scores(rows.features, pool);
  EXPECT_EQ(tally.unseen, 0U) << "07 is 7, and 1e2 is 100";
  ASSERT_EQ(wanted.rows(), rows.rows());
  for (std::size_t i = 0; i < wanted.rows(); ++i)
    for (std::size_t k = 0; k < wanted.cols(); ++k)
      EXPECT_NEAR(double{scores(i, k)}, wanted(i, k), 1e-5) << i << " " << k;
}

TEST(EarlierVersion, wrote_binary_data) {
  EXPECT_TRUE(same_content(read_dataset({fixture("rows.sieve", kEarly)}),
                           read_dataset({fixture("rows.csv")})));
}

INSTANTIATE_TEST_SUITE_P(Models, EarlierModel,
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
