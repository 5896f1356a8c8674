#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "experiment/store.h"
#include "labelsieve/data_io.h"
#include "labelsieve/dataset.h"
#include "labelsieve/error.h"

namespace sieve {

// A data set as a plan describes it.
struct PlannedSet {
  std::string name;
  std::string folder;            // below the data folder
  std::size_t keep_labels = 0;   // the most frequent ones; 0 keeps all
  bool keep_unlabelled = false;  // rows without a true label stay
  std::string get;               // where to get it if it is missing; "": it must be there
  ReadOptions read{};            // how to read it
  bool surely_true = false;      // the plan says that its labels are the truth
  bool given_noise = false;      // its own candidates are learnt from
  Place where;                   // in the plan
};

// A study: data sets x noise x methods x repeats. docs/experiment.md describes the file.
struct Plan {
  PlanInfo info;
  std::vector<PlannedSet> sets;
  std::vector<Task> tasks;  // in the order of the file; the last part of the key varies fastest
};

// Error(Usage) with line and nearest name for a key, method, option, measure or kind of noise that
// does not exist, and for a value that makes no sense.
Plan read_plan(const std::string& path);

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
