#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "experiment/task.h"

// Tells whether results of an earlier version still hold.
namespace sieve {

// A hash of what the noise, method and options of the task measure on a small built-in crowd, to
// six decimals: it changes with the code that a result came from, unless the change shows on larger
// data alone. Empty if the training there fails. Takes a short training.
std::string method_fingerprint(const Task& task);

// The same for many tasks, once for each noise, method and options, `jobs` at a time, in processes
// of their own; by noise, learner and options.
class MethodFingerprints {
 public:
  MethodFingerprints(const std::vector<Task>& tasks, std::size_t jobs);
  const std::string& of(const Task& task) const;

 private:
  std::map<std::string, std::string> known_;
};

// The processor of this computer and its widest vectors: "AMD EPYC, AVX-512".
std::string processor_name();

}  // namespace sieve
