#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "labelsieve/pipeline.h"

namespace sieve {

// What a method may learn from where people voted, besides the union of their ticks.
struct VoteUse {
  std::string name;  // "majority", in a plan "majority+mlp"
  LearnFrom learn_from;
  Aggregation aggregation = Aggregation::CrowdModel;  // of votes alone
};
const std::vector<VoteUse>& vote_uses();

// The learner of a plan: a method, or a use of votes and a method, "majority+mlp".
struct PlannedLearner {
  const VoteUse* votes = nullptr;  // null: all ticks
  std::string method;
};
// Error(Usage) naming the nearest use of votes. The method may not exist.
PlannedLearner parse_learner(const std::string& text);

// One training and its measurement: the smallest unit of an experiment. Everything that defines
// it is here as text, so that a task can be stored, shown and sent to another process.
struct Task {
  std::string key;       // "yeast/fill-10/pml-gan/seed-3", the same in every run of a plan
  std::string data_set;  // "yeast"
  std::string noise;     // "fill-10", or "given" for a set that comes with its candidates
  std::string method;    // its name in the plan, "pml-gan" or e.g. "cls-gen" for a variant of it
  std::string learner;   // the registered method behind that name
  std::string options;   // "beta=0.1,epochs=20": what the plan sets, sorted; the rest is default
  std::uint64_t seed = 1;
  double test_share = 0.2;
  std::size_t keep_labels = 0;  // 0: all
  std::size_t folds = 0;        // of one random order, of which (seed mod folds) is tested; 0: none

  friend bool operator==(const Task&, const Task&) = default;
};

// What a result depends on besides its task; results with the same ones are interchangeable.
struct Fingerprints {
  std::string data;    // of the data set, labels kept as the plan says
  std::string method;  // of noise, method and measures: method_fingerprint()
  bool known() const { return !data.empty() && !method.empty(); }
  friend bool operator==(const Fingerprints&, const Fingerprints&) = default;
};

// What became of a task.
struct Result {
  enum class Status { Done, Failed };

  Task task;
  std::string plan_hash;
  Status status = Status::Done;
  std::string reason;                                    // why it failed, otherwise ""
  std::vector<std::pair<std::string, double>> measures;  // by key of all_metrics()
  double seconds = 0;                                    // the whole task
  double fit_seconds = 0;                                // the training alone
  std::uint64_t peak_bytes = 0;                          // memory on top of the data sets
  std::size_t train_rows = 0, test_rows = 0, features = 0, labels = 0;
  double candidates = 0;        // candidates per training row, on average
  std::string processor;        // that did it
  std::string version;          // of LabelSieve
  std::string finished;         // UTC, "2026-01-31T12:00:00Z"
  Fingerprints fingerprints{};  // not known in stores of 0.2.0 and before
  std::uint64_t id = 0;         // in its store, where later ones are larger

  bool done() const { return status == Status::Done; }
  double measure(const std::string& name) const;  // NaN if it is missing
};

// The key a task has: its parts joined by "/".
std::string task_key(const Task& task);

// The parts of a list such as Task::options.
std::vector<std::string> cut_at_commas(const std::string& text);

// The tasks that `words` choose. A word is a data set, a noise variant, a method, "seed-N", several
// of these joined by "/" as in a key, or "main": the first noise variant listed of each data set.
// Words for one part of the key are alternatives; each part with a word must match. No words: all.
// Error(Usage) for a word that matches nothing, with the nearest one.
std::vector<Task> select_tasks(const std::vector<Task>& tasks,
                               const std::vector<std::string>& words);

}  // namespace sieve
