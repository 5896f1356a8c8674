// Real people whose truth is known: nothing may be lost to what a user would do instead. The floors
// lie just below what was reached (docs/results/crowd.md has the figures).
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "base/random.h"
#include "labelsieve/data_io.h"
#include "labelsieve/metrics.h"
#include "labelsieve/pipeline.h"
#include "support/support.h"

namespace sieve::test {
namespace {

// A crowd with the cells whose truth is known.
struct RealCrowd {
  Dataset data;
  LabelMatrix known, truth;

  void decide(std::size_t row, std::size_t label, bool on) {
    if (!data.candidates.get(row, label)) return;
    known.set(row, label);
    truth.set(row, label, on);
  }
};

RealCrowd read_crowd(const std::string& items, const std::string& annotations) {
  ReadOptions options;
  options.ticks.path = annotations;
  RealCrowd crowd{read_dataset({items}, options), {}, {}};
  crowd.known = LabelMatrix(crowd.data.rows(), crowd.data.labels());
  crowd.truth = LabelMatrix(crowd.data.rows(), crowd.data.labels());
  return crowd;
}

RealCrowd xray(const std::string& folder) {
  RealCrowd crowd = read_crowd(folder + "/xray/features.csv.gz", folder + "/xray/judgments.csv.gz");
  for (const GoldCell& cell : read_gold(folder + "/xray/adjudicated.csv.gz", crowd.data))
    crowd.decide(cell.row, cell.label, cell.on);
  return crowd;
}

// Two annotations of each text, drawn. Right is what most of the others say, where three did.
RealCrowd brighter(const std::string& folder) {
  RealCrowd crowd =
      read_crowd(folder + "/brighter/texts.csv.gz", folder + "/brighter/judgments.csv.gz");
  const std::shared_ptr<const Votes> all = crowd.data.votes;
  VoteCollector drawn;
  std::vector<std::vector<std::uint32_t>> others(crowd.data.rows());
  for (std::size_t row = 0; row < all->rows(); ++row) {
    std::vector<std::size_t> turn(all->annotations(row));
    std::iota(turn.begin(), turn.end(), all->first_annotation(row));
    Random(30, Purpose::Test, 0, row).shuffle(std::span(turn));
    for (std::size_t k = 0; k < turn.size(); ++k) {
      const auto annotator = static_cast<std::uint32_t>(all->annotator(turn[k]));
      const auto at = static_cast<std::uint32_t>(row);
      if (k < 2) drawn.annotate(at, annotator);
      for (const std::uint32_t label : all->ticked(turn[k]))
        if (k < 2)
          drawn.tick(at, annotator, label);
        else
          others[row].push_back(label);
    }
  }
  const std::span<const std::string> names = all->annotators();
  crowd.data.votes = std::make_shared<const Votes>(
      drawn.finish(all->rows(), std::vector<std::string>(names.begin(), names.end())));
  crowd.data.candidates = crowd.data.votes->any_tick(crowd.data.labels());
  for (std::size_t row = 0; row < all->rows(); ++row)
    for (std::uint32_t l = 0; all->annotations(row) >= 5 && l < crowd.data.labels(); ++l)
      crowd.decide(row, l,
                   2 * static_cast<std::size_t>(std::ranges::count(others[row], l)) + 2 >
                       all->annotations(row));
  return crowd;
}

std::vector<double> areas(const RealCrowd& crowd, const Matrix& probabilities) {
  std::vector<double> out;
  for (std::size_t l = 0; l < crowd.data.labels(); ++l) {
    LabelMatrix cells(crowd.data.rows(), crowd.data.labels());
    for (std::size_t row = 0; row < cells.rows(); ++row)
      if (crowd.known.get(row, l)) cells.set(row, l);
    out.push_back(cleaning_auc(probabilities, cells, crowd.truth).value);
  }
  return out;
}

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

Matrix by(const RealCrowd& crowd, Aggregation how) {
  ThreadPool pool(2);
  return aggregate(*crowd.data.votes, crowd.data.labels(), how, pool);
}

// Of the labels that are frequent, none lies below the better of share and Dawid-Skene by this.
void expect_no_harm(const RealCrowd& crowd, const std::vector<double>& found, double slack) {
  const std::vector<double> share = areas(crowd, by(crowd, Aggregation::Share));
  const std::vector<double> coins = areas(crowd, by(crowd, Aggregation::TwoCoins));
  for (std::size_t l = 0; l < found.size(); ++l)
    EXPECT_GT(found[l], std::max(share[l], coins[l]) - slack) << crowd.data.label_names[l];
}

Matrix of_candidates(const Judged& judged) {
  Matrix out(judged.data.rows(), judged.data.labels());
  for (std::size_t row = 0; row < out.rows(); ++row)
    judged.data.candidates.for_each(
        row, [&](std::size_t l) { out(row, l) = judged.probabilities(row, l); });
  return out;
}

TEST(RealCrowds, radiologists_are_ranked_by_votes_alone) {
  REQUIRE_DATA_FOLDER(folder);
  const RealCrowd crowd = xray(*folder);
  const std::vector<double> found = areas(crowd, by(crowd, Aggregation::CrowdModel));
  EXPECT_GT(mean(found), 0.83);
  expect_no_harm(crowd, found, 0.01);
}

// Pneumothorax has 108 ticks, and what reports say of it misleads.
TEST(RealCrowds, radiologists_are_ranked_with_features_however_rows_are_split) {
  REQUIRE_DATA_FOLDER(folder);
  const RealCrowd crowd = xray(*folder);
  const std::vector<double> alone = areas(crowd, by(crowd, Aggregation::CrowdModel));
  ThreadPool pool(2);
  std::vector<double> means, together(alone.size());
  for (const std::uint64_t seed : {1U, 2U, 3U, 4U}) {
    const std::vector<double> found = areas(
        crowd, of_candidates(judge(crowd.data.clone(), {.method = "blend",
                                                        .regress = true,
                                                        .check_votes = false,
                                                        .fit = {.seed = seed, .threads = &pool}})));
    means.push_back(mean(found));
    for (std::size_t l = 0; l < found.size(); ++l) together[l] += found[l] / 4;
  }
  EXPECT_GT(std::ranges::min(means), 0.837);
  EXPECT_LT(std::ranges::max(means) - std::ranges::min(means), 0.002);
  for (std::size_t l = 0; l < together.size(); ++l) EXPECT_GT(together[l], alone[l] - 0.01);
}

TEST(RealCrowds, emotions_are_ranked_by_two_votes_alone) {
  REQUIRE_DATA_FOLDER(folder);
  const RealCrowd crowd = brighter(*folder);
  const std::vector<double> found = areas(crowd, by(crowd, Aggregation::CrowdModel));
  EXPECT_GT(mean(found), 0.735);
  expect_no_harm(crowd, found, 0.01);
}

TEST(RealCrowds, emotions_are_ranked_better_with_their_texts_and_cleaned) {
  REQUIRE_DATA_FOLDER(folder);
  const RealCrowd crowd = brighter(*folder);
  const std::vector<double> alone = areas(crowd, by(crowd, Aggregation::CrowdModel));
  ThreadPool pool(2);
  const Cleaned cleaned = clean(
      judge(crowd.data.clone(),
            {.method = "blend", .regress = true, .check_votes = false, .fit = {.threads = &pool}}));
  const std::vector<double> found = areas(crowd, of_candidates(cleaned.judged));
  EXPECT_GT(mean(found), 0.75);
  for (std::size_t l = 0; l < found.size(); ++l) EXPECT_GT(found[l], alone[l] - 0.01);
  std::size_t kept = 0, right = 0, both = 0;
  for (std::size_t row = 0; row < crowd.known.rows(); ++row)
    crowd.known.for_each(row, [&](std::size_t l) {
      const bool is_kept = cleaned.labels.kept.get(row, l), is_right = crowd.truth.get(row, l);
      kept += is_kept ? 1 : 0;
      right += is_right ? 1 : 0;
      both += is_kept && is_right ? 1 : 0;
    });
  // Right labels that nobody ticked are left out here, so this is above the F1 of the results.
  EXPECT_GT(2.0 * static_cast<double>(both) / static_cast<double>(kept + right), 0.6);
}

TEST(RealCrowds, no_cleaned_row_has_none_and_another_label) {
  REQUIRE_DATA_FOLDER(folder);
  RealCrowd crowd =
      read_crowd(*folder + "/relex/texts.csv.gz", *folder + "/relex/judgments.csv.gz");
  const auto& names = crowd.data.label_names;
  const auto none = static_cast<std::size_t>(std::ranges::find(names, "NONE") - names.begin());
  const auto with_others = [&](const LabelMatrix& labels) {
    std::size_t rows = 0;
    for (std::size_t row = 0; row < labels.rows(); ++row)
      rows += labels.get(row, none) && labels.count(row) > 1 ? 1 : 0;
    return rows;
  };
  EXPECT_GT(with_others(crowd.data.candidates), 1600U);
  ThreadPool pool(2);
  const Cleaned cleaned =
      clean(judge(std::move(crowd.data), {.check_votes = false, .fit = {.threads = &pool}}));
  EXPECT_EQ(with_others(cleaned.labels.kept), 0U);
}

}  // namespace
}  // namespace sieve::test
