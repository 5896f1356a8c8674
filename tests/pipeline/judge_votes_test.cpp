#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "base/random.h"
#include "labelsieve/metrics.h"
#include "labelsieve/pipeline.h"
#include "labelsieve/prepare.h"
#include "pipeline/judge_votes.h"
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

const std::map<std::string, std::string> kFew = {{"trees", "30"}, {"leaf", "3"}};

std::unique_ptr<Learner> forest() {
  return make_learner("forest", kFew);
}

// By models of the rows that they do not judge.
Judged judged_by_forest(Dataset data, std::vector<GoldCell> gold = {}, double missing = 0) {
  return judge(std::move(data), {.method = "forest",
                                 .settings = kFew,
                                 .folds = 3,
                                 .gold = std::move(gold),
                                 .missing = missing});
}

std::size_t wrong_cells(const LabelMatrix& labels, const LabelMatrix& truth) {
  return count_outside(labels, truth) + count_outside(truth, labels);
}

TEST(JudgeByVotes, tells_wrong_ticks_better_than_features_alone) {
  const auto with = cleaning_quality(judged_by_forest(crowd()));
  const auto without = cleaning_quality(judged_by_forest(without_names()));
  EXPECT_GT(with->auc, without->auc + 0.02);
}

TEST(JudgeByVotes, finds_annotators_labels_and_what_nobody_ticked) {
  const Judged judged = judged_by_forest(crowd());
  ASSERT_TRUE(judged.crowd);
  EXPECT_EQ(judged.judge, "the votes and forest, out of fold");
  EXPECT_EQ(judged.crowd->annotators.size(), judged.data.votes->annotators().size());
  EXPECT_EQ(judged.crowd->labels.size(), judged.data.labels());
  for (const CellProbability& cell : judged.missing())
    EXPECT_FALSE(judged.data.candidates.get(cell.row, cell.label));
  MemoryOutput file;
  write_missing(judged, file);
  EXPECT_THAT(file.text, HasSubstr("row,label,probability,truth\n"));
}

// A crowd in which each row has one annotation.
Dataset single_annotations() {
  ThreadPool pool(2);
  return make_synthetic({.rows = 600,
                         .features = 20,
                         .labels = 5,
                         .annotators_per_row = 1,
                         .noise = 1.5,
                         .votes = true},
                        pool);
}

// Wrong ticks of the built-in crowd go to labels of the same theme.
TEST(JudgeByVotes, labels_mistaken_for_each_other_are_cleaned_better_than_by_dawid_skene) {
  ThreadPool pool(2);
  for (const std::uint64_t seed : {2, 3}) {
    Dataset data = make_synthetic({.rows = 1500, .seed = seed, .votes = true}, pool);
    const LabelMatrix truth = data.truth->clone();
    const Matrix coins = aggregate(*data.votes, data.labels(), Aggregation::TwoCoins, pool);
    LabelMatrix by_coins(data.rows(), data.labels());
    for (std::size_t i = 0; i < data.rows(); ++i)
      for (std::size_t l = 0; l < data.labels(); ++l) by_coins.set(i, l, coins(i, l) > 0.5F);
    const Cleaned cleaned = clean(judge(std::move(data), {}));
    EXPECT_GT(micro_f1(cleaned.labels.kept, truth).value, micro_f1(by_coins, truth).value + 0.015)
        << seed;
  }
}

TEST(JudgeByVotes, names_change_nothing_where_rows_have_one_annotation) {
  const Judged named = judged_by_forest(single_annotations());
  Dataset data = single_annotations();
  data.votes = nullptr;
  const Judged nameless = judged_by_forest(std::move(data));
  EXPECT_FALSE(named.crowd);
  EXPECT_TRUE(named.union_findings);
  EXPECT_EQ(named.judge, "forest, out of fold");
  EXPECT_EQ(named.names_ignored,
            "600 of 600 rows have one annotation: annotators cannot be compared");
  EXPECT_EQ(nameless.names_ignored, "");
  const LabelMatrix& ticked = named.data.candidates;
  for (std::size_t i = 0; i < ticked.rows(); ++i)
    ticked.for_each(i, [&](std::size_t k) {
      ASSERT_EQ(named.probabilities(i, k), nameless.probabilities(i, k));
    });
}

TEST(JudgeByVotes, cleaning_single_annotations_does_no_harm) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    ThreadPool pool(2);
    const Cleaned cleaned = clean(judged_by_forest(make_synthetic({.rows = 600,
                                                                   .features = 20,
                                                                   .labels = 5,
                                                                   .annotators_per_row = 1,
                                                                   .noise = 1.5,
                                                                   .seed = seed,
                                                                   .votes = true},
                                                                  pool)));
    const LabelMatrix& truth = *cleaned.judged.data.truth;
    EXPECT_GT(micro_f1(cleaned.labels.kept, truth).value,
              micro_f1(cleaned.judged.data.candidates, truth).value - 0.01);
  }
}

TEST(JudgeByVotes, single_annotations_are_removed_with_due_doubt_about_features) {
  const auto removed = [](const JudgeRequest& request, const CleanRequest& how) {
    return clean(judge(single_annotations(), request), how).labels.removed;
  };
  const JudgeRequest by_forest{.method = "forest", .settings = {{"trees", "30"}}};
  EXPECT_LT(removed(by_forest, {}), removed(by_forest, {.threshold = 0.5}));
  JudgeRequest decided = by_forest;
  const Dataset data = single_annotations();
  for (std::uint32_t row = 0; row < 60; ++row)
    for (std::uint32_t l = 0; l < 5; ++l)
      if (data.candidates.get(row, l)) decided.gold.push_back({row, l, data.truth->get(row, l)});
  EXPECT_GT(removed(decided, {}), 0U);
  EXPECT_EQ(removed({}, {}), 0U);  // votes alone
}

// Ticks of one label, without names. A feature shows it on a third of the rows; `hidden` of the
// others have it as well. So many of the right labels are ticked, and of the others. Every row has
// another label, so that it may lose this one.
Dataset partly_shown(double hidden, double found, double wrong) {
  constexpr std::size_t kRows = 3000;
  Dataset data;
  Matrix x(kRows, 3);
  data.candidates = LabelMatrix(kRows, 2);
  data.truth = LabelMatrix(kRows, 2);
  data.label_names = {"a", "b"};
  for (std::size_t i = 0; i < kRows; ++i) {
    Random random(5, Purpose::Test, 40, i);
    const bool shown = i % 3 == 0;
    for (float& value : x.row(i)) value = static_cast<float>(random.normal());
    x(i, 0) += shown ? 4 : 0;
    const bool right = shown || random.chance(hidden);
    data.truth->set(i, 0, right);
    data.truth->set(i, 1);
    data.candidates.set(i, 1);
    data.candidates.set(i, 0, random.chance(right ? found : wrong));
  }
  data.features = std::move(x);
  return data;
}

TEST(JudgeByUnion, ticks_that_features_may_be_blind_to_are_kept) {
  const auto removed = [](const Dataset& data, const CleanRequest& how) {
    return clean(judged_by_forest(data.clone()), how).labels.removed;
  };
  const Dataset blind = partly_shown(0.08, 0.7, 0.005);
  EXPECT_GT(removed(blind, {.threshold = 0.5}), 20U);
  EXPECT_EQ(removed(blind, {}), 0U);
  // Where all that is right is ticked and shown, hardly anything is held back.
  const Dataset shown = partly_shown(0, 1, 0.2);
  EXPECT_GT(removed(shown, {}), 100U);
  EXPECT_GT(removed(shown, {}), removed(shown, {.threshold = 0.5}) * 95 / 100);
}

TEST(JudgeByVotes, rows_that_nobody_annotated_say_nothing_without_names_either) {
  Dataset whole = single_annotations();
  std::vector<std::size_t> first(400);
  std::iota(first.begin(), first.end(), std::size_t{0});
  Dataset part = single_annotations();
  VoteCollector said;
  for (std::uint32_t i = 0; i < 400; ++i) {
    said.annotate(i, whole.votes->annotator(i));
    for (const std::uint32_t k : whole.votes->ticked(i)) said.tick(i, whole.votes->annotator(i), k);
  }
  part.votes = std::make_shared<const Votes>(
      said.finish(600, {whole.votes->annotators().begin(), whole.votes->annotators().end()}));
  part.candidates = part.votes->any_tick(5);
  Dataset alone = single_annotations();
  alone.features = alone.features.subset(first);
  alone.candidates = part.candidates.select_rows(first);
  alone.truth = alone.truth->select_rows(first);
  alone.votes = nullptr;
  const Judged some = judged_by_forest(std::move(part));
  const Judged all = judged_by_forest(std::move(alone));
  for (std::size_t i = 0; i < 400; ++i)
    all.data.candidates.for_each(
        i, [&](std::size_t k) { ASSERT_EQ(some.probabilities(i, k), all.probabilities(i, k)); });
}

TEST(JudgeByVotes, a_method_learns_from_ticks_as_they_are_where_rows_have_one_annotation) {
  const Dataset data = single_annotations();
  const std::vector<GoldCell> gold = {{0, 0, true}, {0, 1, false}};
  const TrainingData rows = labels_by_votes(training_data(data), *forest(), 3, {}, gold);
  EXPECT_FALSE(rows.probabilities);
  EXPECT_TRUE(rows.candidates.get(0, 0));
  EXPECT_FALSE(rows.candidates.get(0, 1));
  for (std::size_t i = 1; i < data.rows(); ++i)
    for (std::size_t k = 0; k < data.labels(); ++k)
      ASSERT_EQ(rows.candidates.get(i, k), data.candidates.get(i, k));
}

TEST(JudgeByVotes, votes_alone_claim_little_where_rows_have_one_annotation) {
  const Judged judged = judge(single_annotations(), {});
  EXPECT_FALSE(judged.has_intervals());
  EXPECT_NE(judged.names_ignored, "");
  judged.data.candidates.for_each(
      0, [&](std::size_t k) { EXPECT_FLOAT_EQ(judged.probabilities(0, k), 2.0F / 3); });
}

TEST(Judge, says_who_judged) {
  EXPECT_EQ(judged_by_forest(crowd()).judge, "the votes and forest, out of fold");
  EXPECT_EQ(judge(without_names(), {.method = "pml-ni", .folds = 3}).judge, "pml-ni, 3 folds");
  const Matrix scores(600, 5);
  EXPECT_EQ(judge(crowd(), {.scores = &scores, .name = "s.csv"}).judge, "the votes and s.csv");
  EXPECT_EQ(judge(without_names(), {.scores = &scores, .name = "s.csv"}).judge, "s.csv");
}

TEST(Judge, refuses_two_judges_and_oracles) {
  const Matrix scores(600, 5);
  EXPECT_THAT(refusal([&] { judge(crowd(), {.method = "forest", .scores = &scores}); }),
              HasSubstr("cannot judge together"));
  EXPECT_THAT(refusal([&] { judge(crowd(), {.method = "oracle"}); }), HasSubstr("is an oracle"));
}

TEST(Judge, takes_votes_for_a_union_where_told_to) {
  const Judged told = judge(crowd(), {.method = "forest", .settings = kFew, .use_votes = false});
  const Judged unknown = judge(without_names(), {.method = "forest", .settings = kFew});
  EXPECT_FALSE(told.crowd);
  unknown.data.candidates.for_each(
      0, [&](std::size_t k) { EXPECT_EQ(told.probabilities(0, k), unknown.probabilities(0, k)); });
}

TEST(JudgeByUnion, gives_every_label_its_noise_with_an_interval) {
  const Judged judged = judged_by_forest(without_names());
  EXPECT_FALSE(judged.crowd);
  ASSERT_TRUE(judged.union_findings);
  EXPECT_TRUE(judged.missing().empty());
  for (const NoiseOfLabel& label : noise_of_labels(judged))
    EXPECT_TRUE(label.low > 0 && label.low <= label.estimated && label.estimated <= label.high &&
                label.high < 1);
}

// Nine times out of ten, not each time.
TEST(JudgeByUnion, its_ranges_hold_the_real_noise_as_often_as_they_say) {
  std::size_t held = 0, labels = 0;
  ThreadPool pool(2);
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    Dataset data = make_synthetic(
        {.rows = 600, .features = 20, .labels = 5, .noise = 1.5, .seed = seed, .votes = true},
        pool);
    data.votes = nullptr;
    for (const NoiseOfLabel& label : noise_of_labels(judged_by_forest(std::move(data)))) {
      held += label.low <= label.real && label.real <= label.high ? 1 : 0;
      ++labels;
    }
  }
  EXPECT_GE(static_cast<double>(held), 0.9 * static_cast<double>(labels));
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
  const Judged told = judged_by_forest(data.clone(), gold);
  const Judged blind = judged_by_forest(std::move(data));
  EXPECT_LT(off(told), 0.08);
  EXPECT_LT(off(told), off(blind));
}

TEST(JudgeByUnion, finds_labels_without_a_tick_if_some_may_be_missing) {
  const Judged judged = judged_by_forest(without_names(), {}, 0.3);
  for (const CellProbability& cell : judged.missing()) {
    EXPECT_FALSE(judged.data.candidates.get(cell.row, cell.label));
    EXPECT_GE(cell.probability, 0.5F);
  }
  MemoryOutput file;
  write_missing(judged, file);
  EXPECT_THAT(file.text, HasSubstr("row,label,probability,truth\n"));
}

TEST(JudgeByUnion, takes_methods_whose_scores_are_no_probabilities) {
  const Judged judged = judge(without_names(), {.method = "pml-ni", .folds = 3});
  EXPECT_GT(cleaning_quality(judged)->auc, 0.6);
}

TEST(JudgeByVotesAlone, needs_votes_and_nothing_else) {
  Dataset data = crowd();
  data.features = Matrix(data.rows(), 0);
  const Judged judged = judge(std::move(data), {});
  EXPECT_EQ(judged.judge, "the votes");
  EXPECT_GT(cleaning_quality(judged)->auc, 0.7);
  EXPECT_TRUE(judged.has_intervals());
  EXPECT_THROW(judge(without_names(), {}), Error);
}

TEST(LabelsByVotes, are_nearer_to_the_truth_than_ticks) {
  const Dataset data = crowd();
  const TrainingData believed = labels_by_votes(training_data(data), *forest(), 3, {});
  ASSERT_NE(believed.probabilities, nullptr);
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
      const float probability = (*believed.probabilities)(i, k);
      EXPECT_EQ(believed.candidates.get(i, k), probability >= 0.5F);
      doubted += probability > 0.1F && probability < 0.9F;
    }
  EXPECT_GT(doubted, data.rows() / 10);
}

TEST(LabelsByVotes, are_as_decided_where_somebody_did) {
  const Dataset data = crowd();
  const std::vector<GoldCell> gold = {{3, 1, !data.truth->get(3, 1)}, {9, 4, true}, {11, 0, false}};
  const TrainingData believed = labels_by_votes(training_data(data), *forest(), 3, {}, gold);
  for (const GoldCell& cell : gold) {
    EXPECT_EQ((*believed.probabilities)(cell.row, cell.label), cell.on ? 1.0F : 0.0F);
    EXPECT_EQ(believed.candidates.get(cell.row, cell.label), cell.on);
  }
}

TEST(LabelsByVotes, leave_out_rows_that_nobody_looked_at) {
  Dataset data = crowd();
  VoteCollector said;
  for (std::uint32_t i = 0; i < 500; ++i)
    for (std::size_t l = data.votes->first_annotation(i); l < data.votes->first_annotation(i + 1);
         ++l) {
      said.annotate(i, data.votes->annotator(l));
      for (const std::uint32_t k : data.votes->ticked(l)) said.tick(i, data.votes->annotator(l), k);
    }
  const auto annotators = data.votes->annotators();
  data.votes =
      std::make_shared<const Votes>(said.finish(600, {annotators.begin(), annotators.end()}));
  EXPECT_EQ(labels_by_votes(training_data(data), *forest(), 3, {}).rows(), 500U);
  const Judged judged = judged_by_forest(std::move(data));
  for (const CellProbability& cell : judged.missing()) EXPECT_LT(cell.probability, 1);
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
      {"r3,b,perhaps\n", "'perhaps' is not an answer"}};
  for (const auto& [lines, message] : refused)
    EXPECT_THAT(refusal([&, text = lines] { gold("item,label,true\n" + text); }),
                HasSubstr(message));
}

}  // namespace
}  // namespace sieve::test
