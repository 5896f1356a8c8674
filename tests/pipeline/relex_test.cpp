#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "labelsieve/data_io.h"
#include "labelsieve/metrics.h"
#include "labelsieve/pipeline.h"
#include "support/support.h"

namespace sieve::test {
namespace {

// Real people and an expert: what was ticked for sentences from medicine, judged by votes alone.
class Relex : public ::testing::Test {
 protected:
  void read(const std::string& folder) {
    Annotations ticks = read_annotations({.path = folder + "/relex/judgments.csv.gz"});
    data_.label_names = ticks.labels;
    data_.ids = ticks.items;
    data_.candidates = ticks.votes.any_tick(ticks.labels.size());
    data_.votes = std::make_shared<const Votes>(std::move(ticks.votes));
    expert_ = read_gold(folder + "/relex/expert.csv", data_);
    ThreadPool pool(2);
    const CrowdView view{data_.votes.get(), data_.labels(), nullptr};
    probabilities_ = crowd_probabilities(fit_crowd(view, pool), view, pool);
  }
  std::size_t label(const std::string& name) const {
    return static_cast<std::size_t>(std::ranges::find(data_.label_names, name) -
                                    data_.label_names.begin());
  }
  // Among the expert's cells of a label that somebody ticked, or that nobody did.
  double area(const std::string& name, bool ticked) const {
    LabelMatrix cells(data_.rows(), data_.labels()), truth(data_.rows(), data_.labels());
    for (const GoldCell& cell : expert_)
      if (cell.label == label(name) && data_.candidates.get(cell.row, cell.label) == ticked) {
        cells.set(cell.row, cell.label);
        truth.set(cell.row, cell.label, cell.on);
      }
    return cleaning_auc(probabilities_, cells, truth).value;
  }
  // Mean of |claimed - real| over ten classes of the expert's cells.
  double calibration_error(const std::string& name) const {
    std::vector<double> off(10);
    double cells = 0;
    for (const GoldCell& cell : expert_) {
      if (cell.label != label(name)) continue;
      const double claimed{probabilities_(cell.row, cell.label)};
      off[static_cast<std::size_t>(std::min(claimed * 10, 9.0))] += claimed - cell.on;
      cells += 1;
    }
    double sum = 0;
    for (const double one : off) sum += std::abs(one);
    return sum / cells;
  }

  Dataset data_;
  std::vector<GoldCell> expert_;
  Matrix probabilities_;
};

TEST_F(Relex, is_told_by_votes_better_than_dawid_and_skene_told_it) {
  REQUIRE_DATA_FOLDER(folder);
  read(*folder);
  EXPECT_GT(area("CAUSES", true), 0.74);
  EXPECT_GT(area("TREATS", true), 0.86);
  EXPECT_GT(area("CAUSES", false), 0.68);
  // Nobody ticked TREATS in 99 of the expert's rows, and four of them are right: too few to rank.
  // None is proposed.
  for (const GoldCell& cell : expert_)
    if (cell.label == label("TREATS") && !data_.candidates.get(cell.row, cell.label)) {
      EXPECT_LT(probabilities_(cell.row, cell.label), 0.5F);
    }
  EXPECT_LT(calibration_error("CAUSES"), 0.229);
  EXPECT_LT(calibration_error("TREATS"), 0.145);
}

}  // namespace
}  // namespace sieve::test
