#pragma once

#include <chrono>
#include <string>

#include "base/file_lock.h"
#include "labelsieve/learner.h"

namespace sieve {

// Keeps the newest checkpoint of a training in a file that is always complete, and other trainings
// away from it.
class FileCheckpoints final : public CheckpointSink {
 public:
  // One is due every so many seconds; 0 means whenever there could be one. Error(Io) if the file
  // cannot be written, or another training keeps its own there.
  FileCheckpoints(const std::string& path, double seconds);

  bool due() const override;
  void save(const ModelState& state) override;
  // The training is finished.
  void remove();

 private:
  using Clock = std::chrono::steady_clock;
  std::string path_;
  FileLock lock_;
  std::chrono::duration<double> between_;
  Clock::time_point last_ = Clock::now();
};

}  // namespace sieve
