#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "experiment/task.h"
#include "labelsieve/dataset.h"

namespace sieve {

// Workers that do tasks side by side. Used by one thread. Destroying it ends the running tasks.
class Crew {
 public:
  virtual ~Crew() = default;
  virtual std::size_t size() const = 0;     // tasks it can do at a time
  virtual std::size_t running() const = 0;  // tasks it is doing
  // Error(Io) if no worker can be started. Only while running() < size().
  virtual void start(const Task& task) = 0;
  // The next task that ends, done or failed; nullopt if none does within `patience`.
  virtual std::optional<Result> next(std::chrono::milliseconds patience) = 0;
};

// Runs every task in a process of its own, so that a crash or a lack of memory does not harm the
// others; `size` at a time. The sets must outlive the crew; the processes share their memory.
// next() also returns when one of the descriptors `wake` can be read; they may change between
// calls.
std::unique_ptr<Crew> fork_crew(std::size_t size, const std::map<std::string, Dataset>& sets,
                                const std::vector<int>* wake = nullptr);

}  // namespace sieve
