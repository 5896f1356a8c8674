#include "experiment/missing.h"

#include <fmt/format.h>

namespace sieve {
namespace {

// How much of a part of the plan is done.
struct Part {
  std::size_t planned = 0, done = 0, failed = 0;
  std::string reason;  // of the last failure

  void add(const Result* result) {
    ++planned;
    if (result == nullptr) return;
    ++(result->done() ? done : failed);
    if (!result->done()) reason = result->reason.substr(0, result->reason.find('\n'));
  }
  bool untouched() const { return done == 0 && failed == 0; }
};

std::string line_of(const std::string& name, const Part& part) {
  if (part.untouched()) return fmt::format("{}: none of {} tasks", name, part.planned);
  return fmt::format(
      "{}: {} of {} tasks{}", name, part.done, part.planned,
      part.failed == 0 ? "" : fmt::format(", {} failed: {}", part.failed, part.reason));
}

}  // namespace

ResultsByKey results_by_key(const std::vector<Result>& results) {
  ResultsByKey by_key;
  for (const Result& result : results) by_key[result.task.key] = &result;
  return by_key;
}

const Result* find_done(const ResultsByKey& results, const Task& task) {
  const auto found = results.find(task.key);
  return found != results.end() && found->second->done() ? found->second : nullptr;
}

std::vector<std::string> missing_lines(const std::vector<Task>& tasks,
                                       const ResultsByKey& results) {
  std::map<std::string, Part> parts;  // by data set, variant, and method on a variant
  std::vector<std::string> cells;     // the latter in order
  for (const Task& task : tasks) {
    const auto found = results.find(task.key);
    const Result* result = found == results.end() ? nullptr : found->second;
    const std::string variant = task.data_set + "/" + task.noise;
    const std::string cell = variant + "/" + task.method;
    if (!parts.contains(cell)) cells.push_back(cell);
    for (const std::string& name : {task.data_set, variant, cell}) parts[name].add(result);
  }
  std::vector<std::string> lines;
  for (const std::string& cell : cells) {
    // The widest part of which nothing is done is listed once, and covers its smaller parts.
    std::string name = cell;
    for (std::size_t slash = cell.find('/'); slash != std::string::npos;
         slash = cell.find('/', slash + 1))
      if (parts[cell.substr(0, slash)].untouched()) {
        name = cell.substr(0, slash);
        break;
      }
    const Part& part = parts[name];
    if (part.done == part.planned) continue;
    const std::string line = line_of(name, part);
    if (lines.empty() || lines.back() != line) lines.push_back(line);
  }
  return lines;
}

}  // namespace sieve
