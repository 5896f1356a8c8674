#include "experiment/fingerprints.h"

#include <algorithm>
#include <chrono>

#include <fmt/format.h>

#include "base/hashes.h"
#include "base/streams.h"
#include "experiment/crew.h"
#include "experiment/task.h"
#include "labelsieve/error.h"
#include "labelsieve/files.h"
#include "labelsieve/prepare.h"

namespace sieve {
namespace {

// Small, but with as many labels as the paper's study keeps, for its levels of noise.
Dataset probe_data() {
  ThreadPool pool(1);
  return make_synthetic({.rows = 120, .features = 12, .labels = 15}, pool);
}

Task probe_of(Task task) {
  task.data_set = "built-in";
  task.seed = 1;
  task.test_share = 0.25;
  task.keep_labels = 0;
  task.folds = 0;
  return task;
}

std::string what_is_probed(const Task& task) {
  return fmt::format("{}/{}/{}", task.noise, task.learner, task.options);
}

std::string hash_of(const Result& result) {
  if (!result.done()) return {};
  Fnv hash;
  for (const auto& [name, value] : result.measures)
    hash.add(fmt::format("{}={:.6f},", name, value));
  return fmt::format("{:016x}", hash.value());
}

// The value of the first line of /proc/cpuinfo with this name.
std::string cpu_entry(std::string_view text, std::string_view name) {
  std::size_t at = text.find(name);
  if (at == std::string_view::npos || (at = text.find(": ", at)) == std::string_view::npos)
    return {};
  return std::string(text.substr(at + 2, text.find('\n', at) - at - 2));
}

}  // namespace

std::string method_fingerprint(const Task& task) {
  return hash_of(measure_task(probe_of(task), probe_data()));
}

MethodFingerprints::MethodFingerprints(const std::vector<Task>& tasks, std::size_t jobs) {
  std::vector<Task> probes;
  for (const Task& task : tasks)
    if (known_.emplace(what_is_probed(task), "").second) probes.push_back(probe_of(task));
  std::map<std::string, Dataset> data;
  if (!probes.empty()) data.emplace(probes.front().data_set, probe_data());
  const std::unique_ptr<Crew> crew = fork_crew(std::max<std::size_t>(jobs, 1), data);
  while (!probes.empty() || crew->running() != 0) {
    for (; !probes.empty() && crew->running() < crew->size(); probes.pop_back())
      crew->start(probes.back());
    if (const auto result = crew->next(std::chrono::seconds(1)))
      known_[what_is_probed(result->task)] = hash_of(*result);
  }
}

const std::string& MethodFingerprints::of(const Task& task) const {
  return known_.at(what_is_probed(task));
}

std::string processor_name() {
  static const std::string name = [] {
    constexpr std::size_t kEnough = 1 << 14;  // the first processor's entries
    std::string text;
    try {
      text = read_front(*FileSystem::real().open("/proc/cpuinfo"), kEnough);
    } catch (const Error&) {
      return std::string("unknown");
    }
    const std::string flags = " " + cpu_entry(text, "flags") + " ";
    const char* vectors = flags.find(" avx512f ") != std::string::npos ? ", AVX-512"
                          : flags.find(" avx2 ") != std::string::npos  ? ", AVX2"
                                                                       : "";
    return cpu_entry(text, "model name") + vectors;
  }();
  return name;
}

}  // namespace sieve
