#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/pages.h"

namespace sieve::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Result done(const std::string& data_set, const std::string& method, std::uint64_t seed,
            double loss) {
  Result result;
  result.task = {.key = {},
                 .data_set = data_set,
                 .noise = "fill-3",
                 .method = method,
                 .learner = "mlp",
                 .options = {},
                 .seed = seed};
  result.task.key = task_key(result.task);
  result.measures = {{"hamming-loss", loss}};
  result.fit_seconds = 0.5;
  result.train_rows = 8, result.test_rows = 2, result.features = 3, result.labels = 4;
  result.candidates = 3;
  return result;
}

// Two methods on two sets, two repeats; one repeat of "b" on "pond" failed.
StoredResults stored_results() {
  StoredResults stored;
  stored.plan = {.hash = "0", .title = "Study", .measures = {"hamming-loss"}};
  for (const char* set : {"lake", "pond"})
    for (const char* method : {"a", "b"})
      for (const std::uint64_t seed : {1U, 2U})
        stored.results.push_back(done(set, method, seed, *method == 'a' ? 0.1 : 0.2));
  Result& failed = stored.results.back();
  failed.status = Result::Status::Failed;
  failed.reason = "it <script>broke</script>";
  failed.measures.clear();
  for (const Result& result : stored.results) stored.tasks.push_back(result.task);
  return stored;
}

TEST(ExperimentPage, shows_what_failed_with_its_reason_as_text) {
  const StoredResults stored = stored_results();
  const std::string page = experiment_page(stored, compare(stored));
  EXPECT_THAT(page, HasSubstr("pond/fill-3/b/seed-2"));
  EXPECT_THAT(page, HasSubstr("it &lt;script&gt;broke&lt;/script&gt;"));
  EXPECT_THAT(page, Not(HasSubstr("No task failed.")));
  EXPECT_THAT(page, HasSubstr("1 of 2 done"));
}

TEST(ExperimentPage, sets_the_best_of_a_row_in_bold) {
  const StoredResults stored = stored_results();
  const std::string page = experiment_page(stored, compare(stored));
  EXPECT_THAT(page, HasSubstr("<strong>0.100 ± 0.000</strong>"));
  EXPECT_THAT(page, Not(HasSubstr("<strong>0.200")));
}

TEST(ExperimentPage, speaks_of_one_variant_and_of_no_diagram_that_is_absent) {
  StoredResults stored = stored_results();
  std::erase_if(stored.results, [](const Result& one) { return one.task.data_set == "pond"; });
  std::erase_if(stored.tasks, [](const Task& one) { return one.data_set == "pond"; });
  const std::string page = experiment_page(stored, compare(stored));
  EXPECT_THAT(page, HasSubstr("2 methods on 1 variant of data"));
  EXPECT_THAT(page,
              HasSubstr("There is no test of ranks: it needs two methods complete on the same 5"));
  EXPECT_THAT(page, Not(HasSubstr("joined by a bar")));
}

}  // namespace
}  // namespace sieve::test
