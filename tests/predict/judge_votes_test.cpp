#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "labelsieve/judging.h"
#include "labelsieve/metrics.h"
#include "labelsieve/synth.h"
#include "support/memory_streams.h"
#include "support/support.h"

namespace sieve::test {
namespace {

using ::testing::HasSubstr;

Dataset crowd() {
  ThreadPool pool(2);
  return make_synthetic(
      {.rows = 600, .features = 20, .labels = 5, .noise = 1.5, .votes = true, .missing = 0.05},
      pool);
}

std::unique_ptr<Learner> forest() {
  return make_learner("forest", {{"trees", "30"}, {"leaf", "3"}});
}

std::size_t wrong_cells(const LabelMatrix& labels, const LabelMatrix& truth) {
  return count_outside(labels, truth) + count_outside(truth, labels);
}

TEST(JudgeByVotes, tells_wrong_ticks_better_than_features_alone) {
  Dataset data = crowd(), blind = data.clone();
  blind.votes = nullptr;
  const auto with = cleaning_quality(judge_out_of_fold(std::move(data), *forest(), "", 3, {}));
  const auto without = cleaning_quality(judge_out_of_fold(std::move(blind), *forest(), "", 3, {}));
  EXPECT_GT(with->auc, without->auc + 0.02);
}

TEST(JudgeByVotes, finds_people_labels_and_what_nobody_ticked) {
  const Judged judged = judge_out_of_fold(crowd(), *forest(), "forest", 3, {});
  ASSERT_TRUE(judged.crowd);
  EXPECT_EQ(judged.judge, "the votes and forest");
  EXPECT_EQ(judged.crowd->people.size(), judged.data.votes->people().size());
  EXPECT_EQ(judged.crowd->labels.size(), judged.data.labels());
  for (const CellBelief& cell : judged.crowd->missing)
    EXPECT_FALSE(judged.data.candidates.get(cell.row, cell.label));
  MemoryOutput file;
  write_missing(judged, file);
  EXPECT_THAT(file.text, HasSubstr("row,label,probability,truth\n"));
}

TEST(LabelsByVotes, are_nearer_to_the_truth_than_ticks) {
  const Dataset data = crowd();
  const TrainingData believed = labels_by_votes(training_data(data), *forest(), 3, {});
  EXPECT_TRUE(believed.trusted);
  EXPECT_EQ(believed.votes, nullptr);
  EXPECT_LT(wrong_cells(believed.candidates, *data.truth),
            wrong_cells(data.candidates, *data.truth) * 3 / 4);
}

TEST(LabelsByVotes, leave_out_rows_that_nobody_looked_at) {
  Dataset data = crowd();
  VoteCollector said;
  for (std::uint32_t i = 0; i < 500; ++i)
    for (std::size_t l = data.votes->first_look(i); l < data.votes->first_look(i + 1); ++l) {
      said.look(i, data.votes->person(l));
      for (const std::uint32_t k : data.votes->ticked(l)) said.tick(i, data.votes->person(l), k);
    }
  const auto people = data.votes->people();
  data.votes = std::make_shared<const Votes>(said.finish(600, {people.begin(), people.end()}));
  EXPECT_EQ(labels_by_votes(training_data(data), *forest(), 3, {}).rows(), 500U);
  const Judged judged = judge_out_of_fold(std::move(data), *forest(), "", 3, {});
  for (const CellBelief& cell : judged.crowd->missing) EXPECT_LT(cell.probability, 1);
}

TEST(LabelsByVotes, need_votes) {
  Dataset data = crowd();
  data.votes = nullptr;
  EXPECT_THROW(labels_by_votes(training_data(data), *forest(), 3, {}), Error);
}

TEST(Gold, is_read_by_id_and_refused_where_it_does_not_fit) {
  const TempFolder folder;
  Dataset data = crowd();
  data.label_names = {"a", "b", "c", "d", "e"};
  for (std::size_t i = 0; i < data.rows(); ++i) data.ids.push_back("r" + std::to_string(i));
  const auto gold = [&](const std::string& text) {
    write_file(folder / "gold.csv", text);
    return read_gold(folder / "gold.csv", data);
  };
  const auto cells = gold("item,label,true\nr3,b,1\nr0,a,no\nr3,b,yes\n");
  ASSERT_EQ(cells.size(), 2U);
  EXPECT_TRUE(cells[0].row == 0 && cells[0].label == 0 && !cells[0].on);
  EXPECT_TRUE(cells[1].row == 3 && cells[1].label == 1 && cells[1].on);
  const std::vector<std::pair<std::string, std::string>> refused = {
      {"r3,b,1\nr3,b,0\n", "decided twice"},
      {"r600,b,1\n", "no row 'r600'"},
      {"r3,z,1\n", "no label 'z'"},
      {"r3,b,perhaps\n", "'perhaps' is not a decision"}};
  for (const auto& [lines, message] : refused)
    EXPECT_THAT(refusal([&, text = lines] { gold("item,label,true\n" + text); }),
                HasSubstr(message));
}

}  // namespace
}  // namespace sieve::test
