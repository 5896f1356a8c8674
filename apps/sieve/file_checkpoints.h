#pragma once

#include <chrono>
#include <string>

#include "labelsieve/learner.h"

namespace sieve {

// Keeps the newest checkpoint of a training in a file that is always complete.
class FileCheckpoints final : public CheckpointSink {
 public:
  // One is due every so many seconds; 0 means whenever there could be one. Error(Io) if the file
  // can not be written.
  FileCheckpoints(std::string path, double seconds);

  bool due() const override;
  void save(const ModelState& state) override;

 private:
  using Clock = std::chrono::steady_clock;
  std::string path_;
  std::chrono::duration<double> between_;
  Clock::time_point last_ = Clock::now();
};

}  // namespace sieve
