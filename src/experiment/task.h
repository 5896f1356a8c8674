#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "labelsieve/dataset.h"
#include "labelsieve/pipeline.h"
#include "labelsieve/threads.h"

namespace sieve {

// How the candidates of a task come about: a protocol of prepare.h and its numbers, or the
// candidates that the data set brings along.
struct NoiseVariant {
  std::string protocol = "given";
  double level = 0;                                             // the first option of the protocol
  std::vector<std::pair<std::string, std::string>> settings{};  // of its others, if not as usual
};

// "given" and the names of all protocols.
std::vector<std::string> noise_names();

// "fill-10", "flip-0.2", "crowd-3:hidden=0.2:people=20", "given".
std::string to_string(const NoiseVariant& noise);
// The other way round; nullopt for a protocol that is not there or a number out of its range.
std::optional<NoiseVariant> parse_noise(const std::string& text);

// These rows of `data` with their candidates; what is plausible is learnt from them alone.
// Error(Data) without truth.
Dataset noisy_rows(const Dataset& data, std::span<const std::size_t> rows,
                   const NoiseVariant& noise, std::uint64_t seed, ThreadPool& pool);

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

// What a worker found out about a task, as bytes for a pipe or a message: everything in a result
// except its task and what the store adds. Numbers come back bit for bit.
std::string pack_outcome(const Result& result);
// False if the bytes are incomplete, such as those of a worker that died.
bool unpack_outcome(const std::string& bytes, Result& result);

// Does one task on its data set (labels filtered already): split, noise on the training rows, fit,
// measures against the truth of the test rows, all by the task's seed, on the calling thread alone.
// An error gives a failed result, never an exception.
Result measure_task(const Task& task, const Dataset& data);
// The same, with the processor and the fingerprint of the method.
Result run_task(const Task& task, const Dataset& data);

}  // namespace sieve
