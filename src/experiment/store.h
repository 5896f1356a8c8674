#pragma once

#include <memory>
#include <string>
#include <vector>

#include "experiment/task.h"

namespace sieve {

// What a store remembers of the plan that filled it.
struct PlanInfo {
  std::string hash;
  std::string title;
  std::vector<std::string> measures;  // the ones the plan is about; results hold all there are
};

// The content of a result store: docs/formats/store.md describes the file.
struct StoredResults {
  PlanInfo plan;                // the last one, if the store was extended
  std::string version;          // of the LabelSieve that made the store
  std::vector<Task> tasks;      // all that was planned, in the order of the plan
  std::vector<Result> results;  // the last result of each task that has one, in the same order
};

// Reads a store, even while an experiment fills it, or a file of results (results_file.h); a blank
// store gives nothing. Error(Io) if it cannot be read, Error(Data) if it is not a result store or
// has a format unknown to this version.
StoredResults read_results(const std::string& path);

enum class IfOther { Refuse, Extend };

// Error(Data) if the store at `path` was made by another plan than this one.
void require_same_plan(const StoredResults& stored, const PlanInfo& plan, const std::string& path);

// A store that is open for writing. Results are only ever added, and each is on the disk when add()
// returns: a kill or a power cut loses nothing but the tasks that were running. One process at a
// time may write.
class Store {
 public:
  // Opens the store, or makes it. Error(Io) if another process writes to it or the disk refuses;
  // Error(Data) if it was made by another plan: Extend lets such a store take the tasks of this
  // plan too, unless a task of the same key means something else there.
  Store(const std::string& path, const PlanInfo& plan, const std::vector<Task>& tasks,
        IfOther if_other = IfOther::Refuse);
  ~Store();
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  // `plan_hash` is filled in here, and `version` and `finished` unless an earlier run knows them.
  void add(Result result);

  // What read_results() gives. In the process that writes, read here alone: to open and close the
  // file a second time would drop the locks that keep others from taking the log away.
  StoredResults stored() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace sieve
