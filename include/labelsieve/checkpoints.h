#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "labelsieve/learner.h"

namespace sieve {

class FileLock;

// Keeps the newest checkpoint of a training in a file that is always complete, and keeps other
// trainings away from it.
class FileCheckpoints final : public CheckpointSink {
 public:
  // One is due every `seconds`; 0 means at every opportunity. Error(Io) if the file
  // cannot be written, or another training keeps its own there.
  FileCheckpoints(const std::string& path, double seconds);
  ~FileCheckpoints() override;

  bool due() const override;
  void save(const ModelState& state) override;
  // The training is finished.
  void remove();

 private:
  using Clock = std::chrono::steady_clock;
  std::string path_;
  std::unique_ptr<FileLock> lock_;
  std::chrono::duration<double> between_;
  Clock::time_point last_ = Clock::now();
};

// The checkpoint that rank 0 has, if any, on every rank of the team.
std::optional<ModelState> shared_checkpoint(Team& team, const std::optional<ModelState>& mine);

}  // namespace sieve
