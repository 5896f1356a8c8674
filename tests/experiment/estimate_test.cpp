#include "experiment/experiment.h"

#include <gtest/gtest.h>

#include "labelsieve/learner.h"

namespace sieve {
namespace {

Task task_of(const std::string& set, const std::string& learner) {
  Task task;
  task.data_set = set;
  task.method = task.learner = learner;
  return task;
}

TEST(Estimate, goes_by_the_cost_of_the_method_and_the_size_of_the_set) {
  const TimeEstimate estimate({{"small", 1e6}, {"large", 4e6}});
  for (const MethodInfo& method : all_methods()) {
    EXPECT_GT(method.cost, 0) << method.name;
    EXPECT_DOUBLE_EQ(estimate.seconds(task_of("small", method.name)), method.cost);
    EXPECT_DOUBLE_EQ(estimate.seconds(task_of("large", method.name)), 4 * method.cost);
  }
  EXPECT_GT(method_info("pml-gan").cost, method_info("mlp").cost);
}

TEST(Estimate, believes_what_a_method_took_more_than_its_cost) {
  TimeEstimate estimate({{"small", 1e6}, {"large", 4e6}});
  Result result;
  result.task = task_of("small", "mlp");
  result.train_rows = 800, result.test_rows = 200, result.features = 1000;
  result.seconds = 30;
  estimate.learn(result);
  EXPECT_DOUBLE_EQ(estimate.seconds(task_of("small", "mlp")), 30);
  EXPECT_DOUBLE_EQ(estimate.seconds(task_of("large", "mlp")), 120);
}

}  // namespace
}  // namespace sieve
