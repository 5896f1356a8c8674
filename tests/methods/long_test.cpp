#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "base/random.h"
#include "labelsieve/data_io.h"
#include "labelsieve/model_io.h"
#include "labelsieve/predict.h"
#include "labelsieve/prepare.h"
#include "linalg/paging.h"
#include "methods/network/rows.h"
#include "support/support.h"

// Training on data that stay in their file.
namespace sieve {
namespace {

using test::TempFolder;

std::vector<std::size_t> numbers(std::size_t count) {
  std::vector<std::size_t> out(count);
  std::iota(out.begin(), out.end(), std::size_t{0});
  return out;
}

TEST(Windows, each_row_comes_once_an_epoch_and_windows_stay_together) {
  std::vector<std::size_t> rows = numbers(3 * kWindowRows + 1000);
  const std::vector<std::size_t> order = windowed_order(rows, 5, 2);
  for (std::size_t first = 0; first < order.size();) {
    const std::size_t window = order[first] / kWindowRows;
    const std::size_t size = std::min(kWindowRows, rows.size() - window * kWindowRows);
    for (std::size_t i = first; i < first + size; ++i) ASSERT_EQ(order[i] / kWindowRows, window);
    first += size;
  }
  EXPECT_NE(order, windowed_order(rows, 5, 3));
  std::vector<std::size_t> sorted = order;
  std::ranges::sort(sorted);
  EXPECT_EQ(sorted, rows);
}

TEST(Windows, up_to_one_the_order_is_a_plain_shuffle) {
  std::vector<std::size_t> rows = numbers(1000);
  const std::vector<std::size_t> order = windowed_order(rows, 5, 2);
  Random(5, Purpose::Shuffle, 2).shuffle(std::span(rows));
  EXPECT_EQ(order, rows);
}

class LongData : public ::testing::TestWithParam<const char*> {
 protected:
  explicit LongData(std::size_t rows = 400) {
    ThreadPool pool(1);
    memory_ = make_synthetic({.rows = rows, .features = 20, .labels = 6}, pool);
    write_dataset(memory_, folder_ / "set.sieve");
    const ReadOptions options;
    mapped_ = read_dataset({folder_ / "set.sieve"}, options);
  }
  static std::unique_ptr<Learner> learner() {
    const MethodInfo& info = method_info(GetParam());
    Options options(info.options);
    for (const auto& [key, value] :
         {std::pair{"members", "1"}, {"depth", "1"}, {"width", "16"}, {"epochs", "2"}})
      options.set(key, value);
    return info.make(options);
  }
  static std::string bytes(const Model& model) {
    return encode_state(model.state(), StateKind::Model);
  }

  TempFolder folder_;
  Dataset memory_, mapped_;
};

TEST_P(LongData, gives_the_bits_of_data_in_memory_for_any_number_of_threads) {
  const std::string wanted = bytes(*learner()->fit(training_data(memory_), {}));
  for (const std::size_t threads : {1, 2, 3}) {
    ThreadPool pool(threads);
    const TrainingData data = training_data(mapped_);
    EXPECT_TRUE(is_mapped(data.features));
    EXPECT_EQ(bytes(*learner()->fit(data, {.threads = &pool, .on_epoch = {}})), wanted) << threads;
  }
}

TEST_P(LongData, a_fit_of_some_rows_is_that_of_a_copy_of_them) {
  std::vector<std::size_t> rows;
  for (std::size_t i = 1; i < memory_.rows(); i += 1 + i % 3) rows.push_back(i);
  const std::string wanted = bytes(*learner()->fit(training_data(memory_.select_rows(rows)), {}));
  EXPECT_EQ(bytes(*learner()->fit(training_data(mapped_).subset(rows), {})), wanted);
  EXPECT_EQ(bytes(*learner()->fit(training_data(memory_).subset(rows), {})), wanted);
}

TEST_P(LongData, is_cleaned_like_data_in_memory) {
  const CandidateScores wanted =
      learner()->fit_out_of_fold(training_data(memory_), 2, {}).probabilities;
  const CandidateScores got =
      learner()->fit_out_of_fold(training_data(mapped_), 2, {}).probabilities;
  for (std::size_t i = 0; i < memory_.rows(); ++i)
    for (std::size_t k = 0; k < memory_.labels(); ++k) ASSERT_EQ(got(i, k), wanted(i, k));
}

INSTANTIATE_TEST_SUITE_P(Methods, LongData, ::testing::Values("mlp-noise", "pml-gan"),
                         [](const auto& one) { return std::string(one.param).replace(3, 1, "_"); });

TEST(CandidateScores, hold_what_the_candidates_of_a_matrix_hold) {
  Matrix probabilities(20, 130);
  LabelMatrix candidates(20, 130);
  for (std::size_t i = 0; i < 20; ++i)
    for (std::size_t k = 0; k < 130; ++k) {
      probabilities(i, k) = static_cast<float>(i) + static_cast<float>(k) / 1000;
      candidates.set(i, k, (i * 7 + k * 3) % 4 == 0);
    }
  const CandidateScores scores(probabilities, candidates.clone());
  for (std::size_t i = 0; i < 20; ++i)
    for (std::size_t k = 0; k < 130; ++k)
      ASSERT_EQ(scores(i, k), candidates.get(i, k) ? probabilities(i, k) : 0.0F) << i << " " << k;
}

TEST(RankedCandidates, the_first_few_are_those_of_the_whole_ranking) {
  const std::size_t rows = 100000;
  Matrix probabilities(rows, 2);
  LabelMatrix candidates(rows, 2);
  Random random(1, Purpose::Test);
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t k = 0; k < 2; ++k) {
      candidates.set(i, k);
      probabilities(i, k) = static_cast<float>(random.below(1000)) / 1000;
    }
  const auto all = ranked_candidates(probabilities, candidates);
  const auto few = ranked_candidates(probabilities, candidates, 500);
  ASSERT_EQ(few.size(), 500U);
  for (std::size_t i = 0; i < few.size(); ++i) {
    EXPECT_EQ(few[i].row, all[i].row);
    EXPECT_EQ(few[i].label, all[i].label);
  }
}

}  // namespace
}  // namespace sieve
