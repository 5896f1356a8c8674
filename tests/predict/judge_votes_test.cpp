#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

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

Dataset without_names() {
  Dataset data = crowd();
  data.votes = nullptr;
  return data;
}

std::unique_ptr<Learner> forest() {
  return make_learner("forest", {{"trees", "30"}, {"leaf", "3"}});
}

std::size_t wrong_cells(const LabelMatrix& labels, const LabelMatrix& truth) {
  return count_outside(labels, truth) + count_outside(truth, labels);
}

TEST(JudgeByVotes, tells_wrong_ticks_better_than_features_alone) {
  const auto with = cleaning_quality(judge_out_of_fold(crowd(), *forest(), "", 3, {}));
  const auto without = cleaning_quality(judge_out_of_fold(without_names(), *forest(), "", 3, {}));
  EXPECT_GT(with->auc, without->auc + 0.02);
}

TEST(JudgeByVotes, finds_people_labels_and_what_nobody_ticked) {
  const Judged judged = judge_out_of_fold(crowd(), *forest(), "forest", 3, {});
  ASSERT_TRUE(judged.crowd);
  EXPECT_EQ(judged.judge, "the votes and forest");
  EXPECT_EQ(judged.crowd->people.size(), judged.data.votes->people().size());
  EXPECT_EQ(judged.crowd->labels.size(), judged.data.labels());
  for (const CellBelief& cell : judged.missing())
    EXPECT_FALSE(judged.data.candidates.get(cell.row, cell.label));
  MemoryOutput file;
  write_missing(judged, file);
  EXPECT_THAT(file.text, HasSubstr("row,label,probability,truth\n"));
}

TEST(JudgeByUnion, gives_every_label_its_noise_with_an_interval) {
  const Judged judged = judge_out_of_fold(without_names(), *forest(), "forest", 3, {});
  EXPECT_FALSE(judged.crowd);
  ASSERT_TRUE(judged.nameless);
  EXPECT_TRUE(judged.missing().empty());
  for (const NoiseOfLabel& label : noise_of_labels(judged)) {
    EXPECT_TRUE(label.low > 0 && label.low <= label.estimated && label.estimated <= label.high &&
                label.high < 1);
    EXPECT_TRUE(label.low <= label.real && label.real <= label.high);
  }
}

TEST(JudgeByUnion, learns_from_decided_cells) {
  Dataset data = without_names();
  std::vector<GoldCell> gold;
  for (std::uint32_t i = 0; i < 100; ++i)
    data.candidates.for_each(i, [&](std::size_t k) {
      gold.push_back({i, static_cast<std::uint32_t>(k), data.truth->get(i, k)});
    });
  const auto off = [](const Judged& judged) {
    double sum = 0;
    for (const NoiseOfLabel& label : noise_of_labels(judged))
      sum += std::abs(label.estimated - label.real);
    return sum / static_cast<double>(judged.data.labels());
  };
  const Judged told = judge_out_of_fold(data.clone(), *forest(), "", 3, {}, {gold, 0});
  const Judged blind = judge_out_of_fold(std::move(data), *forest(), "", 3, {});
  EXPECT_LT(off(told), 0.08);
  EXPECT_LT(off(told), off(blind));
}

TEST(JudgeByUnion, finds_labels_without_a_tick_if_some_may_be_missing) {
  const Judged judged = judge_out_of_fold(without_names(), *forest(), "", 3, {}, {{}, 0.3});
  for (const CellBelief& cell : judged.missing()) {
    EXPECT_FALSE(judged.data.candidates.get(cell.row, cell.label));
    EXPECT_GE(cell.probability, 0.5F);
  }
  MemoryOutput file;
  write_missing(judged, file);
  EXPECT_THAT(file.text, HasSubstr("row,label,probability,truth\n"));
}

TEST(JudgeByUnion, takes_methods_whose_scores_are_no_probabilities) {
  const Judged judged = judge_out_of_fold(without_names(), *make_learner("pml-ni"), "", 3, {});
  EXPECT_GT(cleaning_quality(judged)->auc, 0.6);
}

TEST(JudgeByVotesAlone, needs_votes_and_nothing_else) {
  ThreadPool pool(2);
  Dataset data = crowd();
  data.features = Matrix(data.rows(), 0);
  const Judged judged = judge_by_votes_alone(std::move(data), pool);
  EXPECT_EQ(judged.judge, "the votes");
  EXPECT_GT(cleaning_quality(judged)->auc, 0.7);
  EXPECT_TRUE(judged.has_intervals());
  EXPECT_THROW(judge_by_votes_alone(without_names(), pool), Error);
}

TEST(LabelsByVotes, are_nearer_to_the_truth_than_ticks) {
  const Dataset data = crowd();
  const TrainingData believed = labels_by_votes(training_data(data), *forest(), 3, {});
  ASSERT_NE(believed.beliefs, nullptr);
  EXPECT_EQ(believed.votes, nullptr);
  EXPECT_LT(wrong_cells(believed.candidates, *data.truth),
            wrong_cells(data.candidates, *data.truth) * 3 / 4);
}

TEST(LabelsByVotes, are_as_sure_as_the_votes_make_them) {
  const Dataset data = crowd();
  const TrainingData believed = labels_by_votes(training_data(data), *forest(), 3, {});
  std::size_t doubted = 0;
  for (std::size_t i = 0; i < data.rows(); ++i)
    for (std::size_t k = 0; k < data.labels(); ++k) {
      const float belief = (*believed.beliefs)(i, k);
      EXPECT_EQ(believed.candidates.get(i, k), belief >= 0.5F);
      doubted += belief > 0.1F && belief < 0.9F;
    }
  EXPECT_GT(doubted, data.rows() / 10);
}

TEST(LabelsByVotes, are_as_decided_where_somebody_did) {
  const Dataset data = crowd();
  const std::vector<GoldCell> gold = {{3, 1, !data.truth->get(3, 1)}, {9, 4, true}, {11, 0, false}};
  const TrainingData believed = labels_by_votes(training_data(data), *forest(), 3, {}, gold);
  for (const GoldCell& cell : gold) {
    EXPECT_EQ((*believed.beliefs)(cell.row, cell.label), cell.on ? 1.0F : 0.0F);
    EXPECT_EQ(believed.candidates.get(cell.row, cell.label), cell.on);
  }
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
  for (const CellBelief& cell : judged.missing()) EXPECT_LT(cell.probability, 1);
}

TEST(LabelsByVotes, need_votes) {
  const Dataset data = without_names();
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
