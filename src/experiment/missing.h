#pragma once

#include <map>
#include <string>
#include <vector>

#include "experiment/task.h"

namespace sieve {

// The last result of a task by its key.
using ResultsByKey = std::map<std::string, const Result*>;
ResultsByKey results_by_key(const std::vector<Result>& results);
// Null unless the task is done.
const Result* find_done(const ResultsByKey& results, const Task& task);

// What is not done, in as few lines as possible: a data set of which nothing is done, a variant, or
// a method on a variant with the number of repeats done and the reason for a failure.
std::vector<std::string> missing_lines(const std::vector<Task>& tasks, const ResultsByKey& results);

}  // namespace sieve
