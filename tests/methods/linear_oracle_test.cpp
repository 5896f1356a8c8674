// Scores of independent implementations on a small set; see the folder beside the data sets.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <charconv>
#include <filesystem>
#include <sstream>

#include "labelsieve/learner.h"
#include "labelsieve/metrics.h"
#include "support/support.h"

namespace sieve::test {
namespace {

constexpr std::size_t kTrain = 400;

Matrix read_table(const std::string& path) {
  std::vector<std::vector<float>> rows;
  std::istringstream lines(read_file(path));
  for (std::string line; std::getline(lines, line);) {
    std::vector<float> row;
    std::istringstream cells(line);
    for (std::string cell; std::getline(cells, cell, ',');) {
      double value = 0;
      std::from_chars(cell.data(), cell.data() + cell.size(), value);
      row.push_back(static_cast<float>(value));
    }
    rows.push_back(std::move(row));
  }
  Matrix out(rows.size(), rows.at(0).size());
  for (std::size_t i = 0; i < out.rows(); ++i) std::ranges::copy(rows[i], out.row(i).begin());
  return out;
}

struct Expected {
  std::string method, file;
  std::vector<std::pair<std::string, std::string>> options;
  double average_precision, ranking_loss;
  std::string removed;  // "" where the method removes nothing
};

void PrintTo(const Expected& expected, std::ostream* out) {
  *out << expected.method;
}

class LinearOracle : public ::testing::TestWithParam<Expected> {};

TEST_P(LinearOracle, gives_the_same_scores) {
  REQUIRE_DATA_FOLDER(data_folder);
  const std::string folder = *data_folder + "/../oracle/";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no folder " << folder;
  Dataset data;
  data.features = read_table(folder + "toy_features.csv");
  data.candidates = decide_by_threshold(read_table(folder + "toy_candidates.csv"), 0.5);
  data.truth = decide_by_threshold(read_table(folder + "toy_truth.csv"), 0.5);
  for (std::size_t k = 0; k < data.labels(); ++k) data.label_names.push_back(std::to_string(k));
  std::vector<std::size_t> train, test;
  for (std::size_t i = 0; i < data.rows(); ++i) (i < kTrain ? train : test).push_back(i);

  const Expected& expected = GetParam();
  const MethodInfo& method = method_info(expected.method);
  Options options(method.options);
  options.set("scaling", "raw");
  for (const auto& [key, value] : expected.options) options.set(key, value);
  const auto model = method.make(options)->fit(training_data(data).subset(train), {});
  ThreadPool pool(1);
  const Dataset out_of_fold = data.select_rows(test);
  const Matrix scores = model->scores(out_of_fold.features, pool);
  const Matrix wanted = read_table(folder + expected.file);
  ASSERT_EQ(scores.rows(), wanted.rows());
  double largest = 0;
  for (std::size_t i = 0; i < wanted.rows(); ++i)
    for (const float value : wanted.row(i)) largest = std::max(largest, std::abs(double{value}));
  for (std::size_t i = 0; i < wanted.rows(); ++i)
    for (std::size_t k = 0; k < wanted.cols(); ++k)
      EXPECT_NEAR(scores(i, k), wanted(i, k), 1e-4 * largest) << i << " " << k;
  EXPECT_NEAR(average_precision(scores, *out_of_fold.truth).value, expected.average_precision,
              1e-6);
  EXPECT_NEAR(ranking_loss(scores, *out_of_fold.truth).value, expected.ranking_loss, 1e-6);
  if (!expected.removed.empty()) {
    EXPECT_EQ(model->state().notes.at("removed"), expected.removed);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Methods, LinearOracle,
    ::testing::Values(Expected{"pml-ni",
                               "toy_scores_pml_ni.csv",
                               {{"lambda", "10"}, {"beta", "0.5"}, {"gamma", "0.5"}},
                               0.904935,
                               0.074833,
                               ""},
                      Expected{"nlr",
                               "toy_scores_nlr.csv",
                               {{"lambda", "1.7"}, {"beta", "100"}, {"gamma", "10"}},
                               0.854756,
                               0.121268,
                               "809"},
                      Expected{"schirn",
                               "toy_scores_schirn.csv",
                               {{"beta", "0.04"}, {"alpha", "0.5"}, {"lambda", "0.1"}},
                               0.880476,
                               0.100845,
                               "987"}));

}  // namespace
}  // namespace sieve::test
