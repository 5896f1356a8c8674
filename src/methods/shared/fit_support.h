#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

#include "labelsieve/learner.h"

// What every method needs around its own work.
namespace sieve {

// Error(Data) if there is nothing to learn from, a feature is not a finite number, or a belief is
// not in [0, 1].
void check_training_data(const TrainingData& data);

// The state of a model to come: method, options, names, and notes on seed and rows.
ModelState described_state(const std::string& method,
                           const std::map<std::string, std::string>& options,
                           const TrainingData& data, const FitOptions& fit);

// Threads and progress of a fit, with stand-ins where the caller gave none.
class FitRun {
 public:
  explicit FitRun(const FitOptions& options);
  ThreadPool& pool() { return pool_; }
  Progress& progress() { return progress_; }
  void begin(std::string_view stage, std::size_t total) { progress_.begin(stage, total); }
  // `done` units are finished. Error(Interrupted) after a stop request.
  void update(std::size_t done, std::string_view note = {});
  void end() { progress_.end(); }

 private:
  ThreadPool own_pool_;
  Progress silent_;
  ThreadPool& pool_;
  Progress& progress_;
};

}  // namespace sieve
