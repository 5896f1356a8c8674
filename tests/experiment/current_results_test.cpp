#include "experiment/results_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sieve::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

Result result_of(const std::string& method, std::uint64_t seed) {
  Result result;
  result.task = {"", "yeast", "fill-10", method, method, "", seed, 0.2, 15};
  result.task.key = task_key(result.task);
  result.train_rows = 80, result.test_rows = 20, result.features = 10, result.labels = 6;
  result.version = "0.9.0";
  result.finished = "2026-01-31T12:00:00Z";
  result.fingerprints = {"d1", "of " + method};
  return result;
}

class CurrentResults : public ::testing::Test {
 protected:
  CurrentResults() {
    for (const std::uint64_t seed : {1, 2, 3})
      for (const char* method : {"mlp", "forest"})
        stored_.results.push_back(result_of(method, seed));
  }
  std::size_t kept() {
    lines_.clear();
    return current_results(stored_, lines_).results.size();
  }
  StoredResults stored_;
  std::vector<std::string> lines_;
};

TEST_F(CurrentResults, all_of_one_version_data_and_method_stay) {
  stored_.results[0].processor = "another";
  stored_.results[2].finished = "2026-02-01T12:00:00Z";
  EXPECT_EQ(kept(), 6U);
  EXPECT_THAT(lines_, IsEmpty());
}

TEST_F(CurrentResults, a_method_has_one_version) {
  stored_.results[0].version = "0.10.0";  // mlp, seed 1
  EXPECT_EQ(kept(), 4U);
  EXPECT_THAT(lines_, ElementsAre("2 results of an older version than others of their method"));
}

TEST_F(CurrentResults, of_one_second_the_last_in_the_store_is_the_latest) {
  stored_.results[0].fingerprints.data = "d2";
  stored_.results[0].id = 7;
  EXPECT_EQ(kept(), 1U);
}

TEST_F(CurrentResults, a_set_has_one_content) {
  stored_.results[5].finished = "2026-02-01T12:00:00Z";
  stored_.results[5].fingerprints.data = "d2";
  EXPECT_EQ(kept(), 1U);
  EXPECT_THAT(lines_, ElementsAre("5 results on other data of the same name than the latest ones"));
  // Earlier results did not say it, but their shape does.
  for (Result& result : stored_.results) result.fingerprints = {};
  EXPECT_EQ(kept(), 6U);
  stored_.results[5].features = 11;
  EXPECT_EQ(kept(), 1U);
}

TEST_F(CurrentResults, a_method_has_one_state) {
  stored_.results[1].finished = "2026-02-01T12:00:00Z";
  stored_.results[1].fingerprints.method = "of a better forest";
  EXPECT_EQ(kept(), 4U);
  EXPECT_THAT(lines_, ElementsAre("2 results of a method that has changed since"));
}

TEST_F(CurrentResults, failures_are_no_measure_of_others) {
  stored_.results[0].status = Result::Status::Failed;
  stored_.results[0].version = "1.0.0";
  stored_.results[0].fingerprints = {};
  EXPECT_EQ(kept(), 6U);
}

}  // namespace
}  // namespace sieve::test
