#pragma once

#include <chrono>
#include <fstream>
#include <string>

#include "labelsieve/learner.h"

namespace sieve {

// What every epoch reported, one JSON object a line, on the disk as it comes.
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

}  // namespace sieve
