#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <utility>

#include "experiment/task.h"

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

}  // namespace sieve
