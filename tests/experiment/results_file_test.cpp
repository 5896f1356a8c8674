#include "experiment/results_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "labelsieve/error.h"
#include "support/support.h"

namespace sieve::test {
namespace {

using ::testing::HasSubstr;

StoredResults two_results() {
  StoredResults stored;
  stored.plan = {"0", "Small", {"hamming-loss", "one-error"}};
  for (const std::uint64_t seed : {1, 2}) {
    Result result;
    result.task = {"", "yeast", "fill-10", "careful", "mlp", "epochs=2,width=8", seed, 0.2, 15};
    result.task.key = task_key(result.task);
    result.measures = {{"hamming-loss", 0.25 / static_cast<double>(seed)},
                       {"one-error", std::nan("")}};
    result.fit_seconds = 1.25;
    result.train_rows = 80, result.test_rows = 20, result.features = 10, result.labels = 6;
    result.candidates = 4.5;
    result.version = "0.3.0";
    result.finished = "2026-01-31T12:00:00Z";
    result.processor = "Some \"fast\" one, AVX2";
    result.fingerprints = {"d1", "m1"};
    stored.tasks.push_back(result.task);
    stored.results.push_back(result);
  }
  return stored;
}

class ResultsFile : public ::testing::Test {
 protected:
  TempFolder folder_;
  std::string path_ = folder_ / "study.csv";
};

TEST_F(ResultsFile, is_read_in_the_place_of_a_store) {
  const StoredResults stored = two_results();
  write_file(path_, results_csv(stored, stored.tasks));
  const StoredResults back = read_results(path_);
  EXPECT_EQ(back.plan.measures, stored.plan.measures);
  EXPECT_EQ(back.tasks, stored.tasks);
  ASSERT_EQ(back.results.size(), 2U);
  EXPECT_EQ(back.results[1].measure("hamming-loss"), 0.125);
  EXPECT_TRUE(std::isnan(back.results[1].measure("one-error")));
  EXPECT_EQ(back.results[1].processor, stored.results[1].processor);
  EXPECT_EQ(back.results[1].fingerprints, stored.results[1].fingerprints);
  EXPECT_EQ(back.results[1].finished, stored.results[1].finished);
}

TEST_F(ResultsFile, holds_finished_tasks_alone) {
  StoredResults stored = two_results();
  stored.results[0].status = Result::Status::Failed;
  write_file(path_, results_csv(stored, stored.tasks));
  EXPECT_EQ(read_results(path_).tasks, std::vector{stored.tasks[1]});
}

TEST_F(ResultsFile, refuses_damaged_lines_with_their_place) {
  const StoredResults stored = two_results();
  std::string text = results_csv(stored, stored.tasks);
  write_file(path_, text + "yeast,fill-10\n");
  int code = 0;
  EXPECT_THAT(refusal([&] { read_results(path_); }, &code),
              ::testing::AllOf(HasSubstr("2 cells"), HasSubstr(":4")));
  EXPECT_EQ(code, 3);
  text.replace(text.rfind("0.125"), 5, "a lot");
  write_file(path_, text);
  EXPECT_THAT(refusal([&] { read_results(path_); }), HasSubstr("'a lot' cannot be the"));
}

}  // namespace
}  // namespace sieve::test
