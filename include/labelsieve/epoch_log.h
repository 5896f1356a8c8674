#pragma once

#include <chrono>
#include <cstddef>
#include <fstream>
#include <string>
#include <vector>

#include "labelsieve/learner.h"

namespace sieve {

// A log with one JSON object per epoch, each written as it comes.
class EpochLog {
 public:
  enum class Open { New, Replace, Append };
  // Error(Io) if the file cannot be written, or exists and should be new.
  EpochLog(std::string path, Open how);
  void add(std::size_t epoch, const EpochReport& report);

 private:
  using Clock = std::chrono::steady_clock;
  std::string path_;
  std::ofstream out_;
  Clock::time_point start_ = Clock::now();
};

// A stretch of a training in which every epoch reported the same things.
struct EpochHistory {
  struct Column {
    std::string name;
    std::vector<double> values;  // one per epoch; NaN for what was not a number
  };
  std::size_t epochs = 0;
  std::vector<Column> columns;  // by name

  const Column* find(const std::string& name) const;  // null if there is none
};

// Reads what an EpochLog wrote, one stretch after the other: a method that compares networks first
// may report other things when it trains the chosen ones. Error(Data) with the line for anything
// but one flat JSON object of numbers per line.
std::vector<EpochHistory> read_epoch_log(const std::string& path);

}  // namespace sieve
