#include "guaranteeing.h"

#include "labelsieve/data_io.h"
#include "reading.h"

namespace sieve {

std::vector<Option> guarantee_options(const std::string& help) {
  return {list("guarantee", "GOALS", help),
          path("decided", "rows with right labels that were not trained on, for --guarantee"),
          real("level", "the probability that a guarantee holds", 0.5, 0.9999, "0.9")};
}

std::vector<GuaranteeGoal> guarantee_goals(const Arguments& arguments) {
  std::vector<GuaranteeGoal> goals;
  for (const std::string& text : arguments.list("guarantee"))
    goals.push_back(parse_guarantee(text));
  for (const char* other : {"decided", "level"})
    if (goals.empty() && arguments.given(other))
      throw usage_error(std::string("--") + other + " is for --guarantee",
                        "say what to promise, as in --guarantee precision=0.9");
  return goals;
}

DecidedRows read_decided(const Arguments& arguments, const Model& model, ThreadPool& pool,
                         std::vector<std::string>& notes) {
  ReadOptions options = read_options(arguments, pool, notes);
  options.recipe = model.state().recipe;
  options.known_features = model.state().feature_names;
  return decided_rows(model, read_dataset({arguments.text("decided")}, options), pool);
}

}  // namespace sieve
