#pragma once

#include <cstddef>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "experiment/crew.h"
#include "experiment/plan.h"
#include "experiment/task.h"
#include "labelsieve/threads.h"

namespace sieve {

// How long tasks take: a rough guess from rows x features and the method, replaced by the times of
// finished tasks.
class TimeEstimate {
 public:
  // rows x features of each data set
  explicit TimeEstimate(std::map<std::string, double> cells) : cells_(std::move(cells)) {}

  void learn(const Result& result);
  double seconds(const Task& task) const;

 private:
  struct Mean {
    double sum = 0;
    std::size_t count = 0;
    void add(double value) { sum += value, ++count; }
    double value() const { return sum / static_cast<double>(count); }
  };

  std::map<std::string, double> cells_;
  std::map<std::pair<std::string, std::string>, Mean> seconds_;  // by data set and method
  std::map<std::string, Mean> rate_;                             // seconds per cell, by method
};

struct ExperimentOptions {
  std::string plan, data_folder, store;
  std::string known{};  // a store or file of results, taken over as far as they still hold
  std::vector<std::string> only;                                // as select_tasks takes it
  std::size_t limit = std::numeric_limits<std::size_t>::max();  // tasks to do this time
  bool retry_failed = false;
  IfOther if_other = IfOther::Refuse;
  std::size_t jobs = 1;  // tasks at a time, on every rank
};

// What there is to do, and why the other requested tasks are not in it.
struct Agenda {
  Plan plan;
  DataSets data;
  TimeEstimate estimate;
  std::map<std::string, std::string> data_fingerprints{};  // by name of the set
  std::map<std::string, Fingerprints> fingerprints{};      // now, of tasks with earlier results
  std::vector<Task> todo{};                                // in the order of the plan
  // Results that still hold, of --known or of an earlier version, to be added to the store.
  std::vector<Result> taken_over{};
  std::vector<std::string> other_shapes{};  // sets that were others at earlier results, a line each
  // Tasks chosen by `only` that are not in `todo`.
  std::size_t done_before = 0, failed_before = 0, without_data = 0, over_limit = 0;
  std::size_t outdated = 0;  // tasks in `todo` whose stored or known result no longer holds

  // Whether a result is what its task would give now. Where the set is not at hand, or the result
  // does not say what it depended on, those of this version are taken to be.
  bool holds(const Result& result) const;
};

// Reads plan, data and store (which need not exist) and changes nothing.
Agenda make_agenda(const ExperimentOptions& options);

struct Tally {
  std::size_t done = 0;
  std::vector<Result> failures;
  double wall_seconds = 0;
  double task_seconds = 0;  // summed over the tasks
};

// Lets the crew do the tasks, the longest first; every result is in the store as soon as it is
// known, and so are those taken over. A failing task is a result like any other. Call it from a
// process without other threads. Error(Interrupted) when `progress` asks to stop; Error(Io) if the
// store cannot take a result. In both cases the same call later continues where this one stopped.
Tally run_experiment(Agenda& agenda, const ExperimentOptions& options, Crew& crew,
                     Progress& progress);

}  // namespace sieve
