#include "experiment/estimate.h"

#include <algorithm>

#include "experiment/vote_use.h"

namespace sieve {

void TimeEstimate::learn(const Result& result) {
  if (!result.done()) return;
  const double cells =
      static_cast<double>((result.train_rows + result.test_rows) * result.features);
  seconds_[{result.task.data_set, result.task.method}].add(result.seconds);
  rate_[result.task.method].add(result.seconds / std::max(1.0, cells));
}

double TimeEstimate::seconds(const Task& task) const {
  const auto known = seconds_.find({task.data_set, task.method});
  if (known != seconds_.end()) return known->second.value();
  const auto rate = rate_.find(task.method);
  const double a_cell = rate != rate_.end()
                            ? rate->second.value()
                            : method_info(parse_learner(task.learner).method).cost / 1e6;
  const auto cells = cells_.find(task.data_set);
  return cells == cells_.end() ? 0 : a_cell * cells->second;
}

}  // namespace sieve
