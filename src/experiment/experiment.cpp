#include "experiment/experiment.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <set>

#include <fmt/format.h>

#include "data/fingerprint.h"
#include "experiment/fingerprints.h"
#include "experiment/task.h"
#include "labelsieve/files.h"
#include "labelsieve/options.h"

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

namespace {

bool is_of_this_version(const Result& result) {
  return result.version == version();
}

using Clock = std::chrono::steady_clock;
constexpr auto kPatience = std::chrono::milliseconds(200);  // between two looks at Ctrl-C
constexpr std::size_t kProgressUnits = 1'000'000;

std::map<std::string, double> cells_of(const DataSets& data) {
  std::map<std::string, double> cells;
  for (const auto& [name, set] : data.ready)
    cells[name] = static_cast<double>(set.rows()) * static_cast<double>(set.features.cols());
  return cells;
}

bool same_shape(const Result& result, const Dataset& set) {
  return result.train_rows + result.test_rows == set.rows() &&
         result.features == set.features.cols() && result.labels == set.labels();
}

// Sets that are not what they were when the store got its results, with both shapes.
std::vector<std::string> other_shapes(const StoredResults& stored, const DataSets& data) {
  std::map<std::string, std::string> lines;  // by name of the set
  for (const Result& result : stored.results) {
    const auto set = data.ready.find(result.task.data_set);
    if (!result.done() || set == data.ready.end() || same_shape(result, set->second)) continue;
    lines[set->first] = fmt::format(
        "'{}' was {} x {} x {} at earlier results, and is {} x {} x {} (rows x features x labels)",
        set->first, result.train_rows + result.test_rows, result.features, result.labels,
        set->second.rows(), set->second.features.cols(), set->second.labels());
  }
  std::vector<std::string> all;
  for (auto& [name, line] : lines) all.push_back(std::move(line));
  return all;
}

// What the tasks of these results depend on now, as far as they have data and the results say what
// they depended on.
std::map<std::string, Fingerprints> fingerprints_now(const std::vector<Result>& results,
                                                     const Agenda& agenda, std::size_t jobs) {
  std::vector<Task> tasks;
  for (const Result& result : results)
    if (result.fingerprints.known() && agenda.data_fingerprints.contains(result.task.data_set))
      tasks.push_back(result.task);
  const MethodFingerprints methods(tasks, jobs);
  std::map<std::string, Fingerprints> found;
  for (const Task& task : tasks)
    found[task.key] = {agenda.data_fingerprints.at(task.data_set), methods.of(task)};
  return found;
}

// Results of options.known for these tasks.
std::vector<Result> known_results(const std::vector<Task>& tasks, const std::string& known) {
  std::map<std::string, const Task*> wanted;
  for (const Task& task : tasks) wanted[task.key] = &task;
  std::vector<Result> results = known.empty() ? std::vector<Result>{} : read_results(known).results;
  std::erase_if(results, [&](const Result& result) {
    const auto task = wanted.find(result.task.key);
    return !result.done() || task == wanted.end() || *task->second != result.task;
  });
  return results;
}

StoredResults stored_results(const ExperimentOptions& options, const PlanInfo& plan) {
  if (!FileSystem::real().exists(options.store)) return {};
  StoredResults stored = read_results(options.store);
  if (options.if_other == IfOther::Refuse && !stored.plan.hash.empty())
    require_same_plan(stored, plan, options.store);
  return stored;
}

// What earlier runs found out about tasks, as far as it still holds.
struct Earlier {
  std::map<std::string, bool> stored{};        // by task: whether it is done
  std::map<std::string, Result> taken_over{};  // of options.known, or of an earlier version
  std::set<std::string> outdated{};            // tasks of which nothing that is known holds
};

Earlier earlier_results(Agenda& agenda, const std::vector<Task>& chosen,
                        const StoredResults& stored, const ExperimentOptions& options) {
  const std::vector<Result> known = known_results(chosen, options.known);
  std::vector<Result> all = stored.results;
  all.insert(all.end(), known.begin(), known.end());
  agenda.fingerprints = fingerprints_now(all, agenda, options.jobs);
  Earlier earlier;
  for (const Result& result : stored.results)
    if (is_of_this_version(result) && agenda.holds(result))
      earlier.stored[result.task.key] = result.done();
  for (const Result& result : all)
    if (!earlier.stored.contains(result.task.key) && result.done() &&
        agenda.fingerprints.contains(result.task.key) && agenda.holds(result)) {
      Result& taken = earlier.taken_over[result.task.key] = result;
      taken.version = version();  // which has just confirmed it
    }
  for (const Result& result : all)
    if (!earlier.stored.contains(result.task.key) && !earlier.taken_over.contains(result.task.key))
      earlier.outdated.insert(result.task.key);
  return earlier;
}

// Leaves in the agenda what is not known yet.
void take_up(Agenda& agenda, std::vector<Task> chosen, const StoredResults& stored,
             const ExperimentOptions& options) {
  Earlier earlier = earlier_results(agenda, chosen, stored, options);
  for (const Result& result : stored.results) agenda.estimate.learn(result);
  for (Task& task : chosen) {
    const auto before = earlier.stored.find(task.key);
    if (before != earlier.stored.end() && before->second)
      ++agenda.done_before;
    else if (const auto known = earlier.taken_over.find(task.key);
             known != earlier.taken_over.end())
      agenda.taken_over.push_back(std::move(known->second));
    else if (before != earlier.stored.end() && !options.retry_failed)
      ++agenda.failed_before;
    else if (!agenda.data.ready.contains(task.data_set))
      ++agenda.without_data;
    else if (agenda.todo.size() >= options.limit)
      ++agenda.over_limit;
    else {
      agenda.outdated += earlier.outdated.count(task.key);
      agenda.todo.push_back(std::move(task));
    }
  }
}

// The tasks that wait, and how far the whole is.
class Queue {
 public:
  Queue(std::vector<Task> tasks, TimeEstimate& estimate)
      : total_(tasks.size()), estimate_(estimate) {
    for (Task& task : tasks) waiting_.push_back({std::move(task), 0});
    look_ahead();
  }

  bool empty() const { return waiting_.empty(); }

  // A short task of each method first, so that something of all methods shows early and the
  // estimates learn from it; then the longest.
  Task take_next() {
    auto next = std::ranges::max_element(waiting_, {}, [&](const Waiting& each) {
      const bool fresh = !begun_.contains(each.task.method);
      return std::pair(fresh, fresh ? -each.seconds : each.seconds);
    });
    Waiting taken = std::move(*next);
    waiting_.erase(next);
    begun_.insert(taken.task.method);
    running_.emplace(taken.task.key, taken.seconds);
    return std::move(taken.task);
  }

  void ended(const Result& result) {
    running_.erase(result.task.key);
    spent_ += result.seconds;
    ++ended_;
    if (!result.done()) ++failed_;
    estimate_.learn(result);
    look_ahead();
  }

  void show(Progress& progress) const {
    double left = left_;
    for (const auto& [key, seconds] : running_) left += seconds;
    const double share = ended_ == 0 ? 0 : spent_ / std::max(spent_ + left, 1e-9);
    progress.update(static_cast<std::size_t>(share * kProgressUnits),
                    fmt::format("{} of {} tasks done, {} running, {} failed", ended_ - failed_,
                                total_, running_.size(), failed_));
  }

 private:
  struct Waiting {
    Task task;
    double seconds;  // estimated
  };

  void look_ahead() {
    left_ = 0;
    for (Waiting& each : waiting_) left_ += each.seconds = estimate_.seconds(each.task);
  }

  std::vector<Waiting> waiting_;
  std::size_t total_;
  TimeEstimate& estimate_;
  std::map<std::string, double> running_;  // estimated seconds by task
  std::set<std::string> begun_;            // methods
  std::size_t ended_ = 0, failed_ = 0;
  double spent_ = 0, left_ = 0;  // seconds of ended tasks, estimate of the waiting ones
};

// Another process may have done some of them since they were put on the agenda.
void drop_done(Agenda& agenda, const StoredResults& stored) {
  std::set<std::string> done;
  for (const Result& result : stored.results)
    if (result.done() && is_of_this_version(result) && agenda.holds(result))
      done.insert(result.task.key);
  std::erase_if(agenda.todo, [&](const Task& task) { return done.contains(task.key); });
  std::erase_if(agenda.taken_over,
                [&](const Result& known) { return done.contains(known.task.key); });
}

}  // namespace

bool Agenda::holds(const Result& result) const {
  const auto set = data.ready.find(result.task.data_set);
  const auto now = fingerprints.find(result.task.key);
  if (set != data.ready.end() && result.fingerprints.known() && now != fingerprints.end())
    return result.fingerprints == now->second;
  return is_of_this_version(result) &&
         (set == data.ready.end() || !result.done() || same_shape(result, set->second));
}

Agenda make_agenda(const ExperimentOptions& options) {
  Plan plan = read_plan(options.plan);
  std::vector<Task> chosen = select_tasks(plan.tasks, options.only);
  const StoredResults stored = stored_results(options, plan.info);
  DataSets data = load_data_sets(plan, chosen, options.data_folder);
  TimeEstimate estimate(cells_of(data));
  Agenda agenda{.plan = std::move(plan), .data = std::move(data), .estimate = std::move(estimate)};
  for (const auto& [name, set] : agenda.data.ready)
    agenda.data_fingerprints[name] = fingerprint(set);
  agenda.other_shapes = other_shapes(stored, agenda.data);
  take_up(agenda, std::move(chosen), stored, options);
  return agenda;
}

Tally run_experiment(Agenda& agenda, const ExperimentOptions& options, Crew& crew,
                     Progress& progress) {
  Tally tally;
  Store store(options.store, agenda.plan.info, agenda.plan.tasks, options.if_other);
  drop_done(agenda, store.stored());
  for (const Result& result : agenda.taken_over) store.add(result);
  const Clock::time_point start = Clock::now();
  const std::size_t total = agenda.todo.size();
  Queue queue(std::move(agenda.todo), agenda.estimate);
  const auto deal = [&] {
    while (!queue.empty() && crew.running() < crew.size()) crew.start(queue.take_next());
  };
  progress.begin("Experiment", kProgressUnits);
  while (!queue.empty() || crew.running() != 0) {
    if (progress.stop_requested())
      throw Error(
          Failure::Interrupted,
          fmt::format("stopped: {} of {} tasks ended", tally.done + tally.failures.size(), total),
          {options.store, 0, 0}, "the same command continues from there");
    deal();
    if (std::optional<Result> result = crew.next(kPatience)) {
      result->fingerprints.data = agenda.data_fingerprints[result->task.data_set];
      queue.ended(*result);
      deal();  // nobody waits for the disk
      store.add(*result);
      tally.task_seconds += result->seconds;
      if (result->done())
        ++tally.done;
      else
        tally.failures.push_back(*result);
    }
    queue.show(progress);
  }
  progress.end();
  tally.wall_seconds = std::chrono::duration<double>(Clock::now() - start).count();
  return tally;
}

}  // namespace sieve
