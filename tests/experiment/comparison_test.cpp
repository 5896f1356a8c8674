#include "experiment/comparison.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "support/places.h"
#include "support/support.h"

namespace sieve::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// A store in memory: methods x variants x three seeds, with values given a cell.
class Study {
 public:
  Study() { stored_.plan = {"0", "Small", {"hamming-loss"}}; }

  Study& cell(const std::string& variant, const std::string& method,
              const std::vector<double>& values, std::size_t planned = 3) {
    const std::size_t slash = variant.find('/');
    for (std::size_t i = 0; i < planned; ++i) {
      Task task{"",
                variant.substr(0, slash),
                variant.substr(slash + 1),
                method,
                method == "clean" ? "clean" : "mlp",
                "",
                i + 1,
                0.2,
                15};
      task.key = task_key(task);
      stored_.tasks.push_back(task);
      if (i >= values.size()) continue;
      Result result;
      result.task = task;
      result.train_rows = 80;
      result.test_rows = 20;
      result.features = 294;
      result.candidates = 3;
      if (std::isnan(values[i])) {
        result.status = Result::Status::Failed;
        result.reason = "diverged\n  in epoch 3";
      } else {
        result.measures = {{"hamming-loss", values[i]}, {"average-precision", 1 - values[i]}};
      }
      stored_.results.push_back(result);
    }
    return *this;
  }
  const StoredResults& stored() const { return stored_; }

 private:
  StoredResults stored_;
};

Study two_sets() {
  Study study;
  study.cell("image/fill-3", "pml-gan", {0.20, 0.21, 0.22})
      .cell("image/fill-3", "mlp", {0.30, 0.31, 0.33})
      .cell("image/fill-3", "clean", {0.10, 0.10, 0.10})
      .cell("yeast/fill-10", "pml-gan", {0.2001, 0.2, 0.2})
      .cell("yeast/fill-10", "mlp", {0.2, 0.2001, 0.2})
      .cell("yeast/fill-10", "clean", {0.1, 0.1, 0.1});
  return study;
}

TEST(Compare, means_ranks_and_the_best_of_a_row) {
  const Comparison all = compare(two_sets().stored());
  EXPECT_THAT(all.methods, ElementsAre("pml-gan", "mlp", "clean"));
  EXPECT_THAT(all.oracle, ElementsAre(false, false, true));
  ASSERT_EQ(all.tables.size(), 1U);
  const auto& image = all.tables[0].cells[0];
  EXPECT_NEAR(image[0].mean, 0.21, 1e-12);
  EXPECT_NEAR(image[0].std, 0.01, 1e-12);
  EXPECT_TRUE(image[0].best);
  EXPECT_EQ(image[0].rank, 1);
  EXPECT_FALSE(image[1].best);
  EXPECT_EQ(image[1].rank, 2);
  EXPECT_FALSE(image[2].best) << "an oracle is out of competition";
  EXPECT_TRUE(std::isnan(image[2].rank));
  const auto& yeast = all.tables[0].cells[1];
  EXPECT_TRUE(yeast[0].best && yeast[1].best) << "the same in three decimals";
  EXPECT_EQ(all.variants[0].candidates, 3);
  EXPECT_THAT(all.missing, IsEmpty());
}

TEST(Compare, beside_a_cell_stands_the_figure_of_the_paper) {
  const Comparison all = compare(two_sets().stored());
  ASSERT_NE(all.tables[0].cells[0][0].paper, nullptr);
  EXPECT_EQ(all.tables[0].cells[0][0].paper->value, 0.202);
  EXPECT_EQ(all.tables[0].cells[0][0].paper->std, 0.006);
  EXPECT_EQ(all.tables[0].cells[0][1].paper, nullptr);
}

TEST(Compare, counts_wins_ties_and_losses_of_the_control) {
  const auto counts = [](const Counts& c) { return std::vector{c.wins, c.ties, c.losses}; };
  const Comparison all = compare(two_sets().stored());
  ASSERT_EQ(all.tables[0].duels.size(), 2U);
  EXPECT_THAT(counts(all.tables[0].duels[0].plain), ElementsAre(1U, 1U, 0U));
  EXPECT_THAT(counts(all.tables[0].duels[1].plain), ElementsAre(0U, 0U, 2U));
  const Comparison other = compare(two_sets().stored(), {.control = "mlp"});
  EXPECT_THAT(counts(other.tables[0].duels[0].plain), ElementsAre(0U, 1U, 1U));
  // Where larger is better the same numbers turned round win the same way.
  const Comparison turned = compare(two_sets().stored(), {.measures = {"average-precision"}});
  EXPECT_THAT(counts(turned.tables[0].duels[0].plain), ElementsAre(1U, 1U, 0U));
}

TEST(Compare, lists_what_moved_by_more_than_a_standard_error) {
  Study before, now;
  before.cell("image/fill-3", "a", {0.20, 0.21, 0.22}).cell("image/fill-3", "b", {0.3, 0.3, 0.3});
  now.cell("image/fill-3", "a", {0.201, 0.211, 0.221}).cell("image/fill-3", "b", {0.3, 0.31, 0.32});
  now.cell("image/fill-3", "c", {0.1, 0.1, 0.1});
  std::size_t compared = 0;
  const std::vector<Change> changes =
      changes_since(compare(before.stored()), compare(now.stored()), compared);
  EXPECT_EQ(compared, 2U);
  ASSERT_EQ(changes.size(), 1U);
  EXPECT_EQ(changes[0].method, "b");
  EXPECT_NEAR(changes[0].now - changes[0].before, 0.01, 1e-12);
}

TEST(Compare, the_corrected_test_is_the_more_careful_one) {
  Study study;
  study.cell("image/fill-3", "a", {0.20, 0.21, 0.22}).cell("image/fill-3", "b", {0.23, 0.22, 0.24});
  study.cell("image/fill-4", "a", {0.1, 0.1, 0.1}).cell("image/fill-4", "b", {0.115, 0.11, 0.112});
  const Duel duel = compare(study.stored()).tables[0].duels[0];
  EXPECT_LE(duel.corrected.wins, duel.plain.wins);
  EXPECT_EQ(duel.plain.wins + duel.plain.ties + duel.plain.losses, 2U);
}

TEST(Compare, only_what_is_complete_and_says_what_is_missing) {
  Study study = two_sets();
  study.cell("scene/fill-4", "pml-gan", {0.1, 0.2})
      .cell("scene/fill-4", "mlp", {0.1, 0.2, 0.3})
      .cell("scene/fill-5", "mlp", {})
      .cell("enron/fill-10", "mlp", {})
      .cell("enron/fill-9", "mlp", {})
      .cell("image/fill-3", "nlr", {0.1, kNaN});
  const Comparison all = compare(study.stored());
  EXPECT_THAT(all.methods, ElementsAre("pml-gan", "mlp", "clean"));
  ASSERT_EQ(all.variants.size(), 3U);
  EXPECT_FALSE(all.tables[0].cells[2][0].complete());
  EXPECT_EQ(all.tables[0].cells[2][0].values.size(), 2U);
  EXPECT_THAT(all.missing, ElementsAre("scene/fill-4/pml-gan: 2 of 3 tasks",
                                       "scene/fill-5: none of 3 tasks", "enron: none of 6 tasks",
                                       "image/fill-3/nlr: 1 of 3 tasks, 1 failed: diverged"));
  EXPECT_EQ(all.planned, 36U);
  EXPECT_EQ(all.done, 24U);
  EXPECT_EQ(all.failed, 1U);
  // The seeds that are done everywhere make a whole of their own.
  EXPECT_EQ(compare(study.stored(), {.only = {"seed-1"}}).methods.size(), 4U);
}

TEST(Compare, refuses_what_is_not_there) {
  EXPECT_THAT(refusal([] { compare(two_sets().stored(), {.measures = {"haming-loss"}}); }),
              HasSubstr("did you mean 'hamming-loss'?"));
  EXPECT_THAT(refusal([] { compare(two_sets().stored(), {.control = "pml-gna"}); }),
              HasSubstr("did you mean 'pml-gan'?"));
  Study none;
  none.cell("image/fill-3", "mlp", {0.1});
  EXPECT_THAT(refusal([&] { compare(none.stored()); }), HasSubstr("nothing to compare"));
}

TEST(Compare, a_store_whose_plan_names_no_measure_needs_some) {
  StoredResults stored = two_sets().stored();
  stored.plan = {};
  int code = 0;
  EXPECT_THAT(refusal([&] { compare(stored); }, &code), HasSubstr("measures=hamming-loss"));
  EXPECT_EQ(code, 3);
  EXPECT_EQ(compare(stored, {.measures = {"hamming-loss"}}).tables.size(), 1U);
}

TEST(Compare, friedman_ranks_the_methods_that_compete) {
  const Comparison all = compare(two_sets().stored());
  ASSERT_TRUE(all.tables[0].ranking);
  EXPECT_THAT(all.tables[0].ranking->methods, ElementsAre(0U, 1U));
  EXPECT_EQ(all.tables[0].ranking->friedman.data_sets, 2U);
  EXPECT_GT(all.tables[0].ranking->critical_difference, 1);
}

TEST(IndistinctGroups, are_the_largest_runs_within_the_difference) {
  EXPECT_THAT(indistinct_groups({3, 1, 1.5, 2.2}, 1.0),
              ElementsAre(ElementsAre(1U, 2U), ElementsAre(2U, 3U), ElementsAre(3U, 0U)));
  EXPECT_THAT(indistinct_groups({1, 2, 3}, 5), ElementsAre(ElementsAre(0U, 1U, 2U)));
  EXPECT_THAT(indistinct_groups({1, 2, 3}, 0.5), IsEmpty());
}

TEST(PaperFigures, are_all_there) {
  std::size_t tables[5] = {};
  for (const PaperFigure& figure : paper_figures()) ++tables[figure.table];
  EXPECT_EQ(tables[1], 12U * 3);
  EXPECT_EQ(tables[2], 12U * 4 * 7);
  EXPECT_EQ(tables[3], 4U * 6 * 3);
  EXPECT_EQ(tables[4], 12U * 4 * 4);
  EXPECT_EQ(paper_result("one-error", "mirflickr", "given", "pml-gan")->value, 0.236);
  EXPECT_EQ(paper_result("hamming-loss", "image", "fill-3", "cls-ml")->value, 0.220);
  EXPECT_EQ(paper_result("hamming-loss", "image", "fill-2", "pml-gan"), nullptr);
  EXPECT_EQ(paper_shape("features", "tmc2007")->value, 49060);
}

// The store of an earlier version, in which the oracle was called clean.
TEST(Compare, takes_a_store_of_an_earlier_version) {
  const StoredResults stored = read_results(tests_folder() + "/fixtures/0.2.0-early/results.db");
  ASSERT_EQ(stored.results.size(), 4U);
  const Comparison all = compare(stored, {});
  EXPECT_THAT(all.methods, ElementsAre("pml-ni", "clean"));
  EXPECT_THAT(all.oracle, ElementsAre(false, true));
}

}  // namespace
}  // namespace sieve::test
