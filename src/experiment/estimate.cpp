#include "experiment/estimate.h"

#include <algorithm>

namespace sieve {
namespace {

// Seconds a million cells, as small sets took them; all but the order of magnitude is in vain.
double weight(const std::string& learner) {
  static const std::map<std::string, double> kWeights = {
      {"pml-gan", 20},  {"comes-hl", 8}, {"comes-rl", 10}, {"particle-map", 10},
      {"mlp-noise", 4}, {"clean", 3},    {"mlp", 2}};
  const auto found = kWeights.find(learner);
  return found == kWeights.end() ? 5 : found->second;
}

}  // namespace

void Estimate::learn(const Result& result) {
  if (!result.done()) return;
  const double cells =
      static_cast<double>((result.train_rows + result.test_rows) * result.features);
  seconds_[{result.task.data_set, result.task.method}].add(result.seconds);
  rate_[result.task.method].add(result.seconds / std::max(1.0, cells));
}

double Estimate::seconds(const Task& task) const {
  const auto known = seconds_.find({task.data_set, task.method});
  if (known != seconds_.end()) return known->second.value();
  const auto rate = rate_.find(task.method);
  const double a_cell = rate != rate_.end() ? rate->second.value() : weight(task.learner) / 1e6;
  const auto cells = cells_.find(task.data_set);
  return cells == cells_.end() ? 0 : a_cell * cells->second;
}

}  // namespace sieve
