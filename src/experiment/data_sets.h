#pragma once

#include <map>
#include <string>
#include <vector>

#include "experiment/plan.h"
#include "labelsieve/dataset.h"

namespace sieve {

// A set of the plan that is not available, which the plan allows.
struct AbsentSet {
  std::string name;
  std::string why;  // "not in the data folder"
  std::string get;  // where to get it
};

// The sets of a plan in memory, labels filtered as the plan says, ready to be shared by all tasks.
struct DataSets {
  std::map<std::string, Dataset> ready;
  std::vector<AbsentSet> absent;
};

// Reads those that the tasks need. A set that is not in the folder, or has no features there, is
// absent if the plan says where to get it. Error(Usage) for any other missing set, with
// the nearest folder; Error(Data) for one that cannot be read or has no truth to measure against.
DataSets load_data_sets(const Plan& plan, const std::vector<Task>& tasks,
                        const std::string& folder);

}  // namespace sieve
