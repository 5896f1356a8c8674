#include "file_checkpoints.h"

#include <utility>

#include "labelsieve/model_io.h"

namespace sieve {

FileCheckpoints::FileCheckpoints(std::string path, double seconds)
    : path_(std::move(path)), between_(seconds) {
  AtomicFile(FileSystem::real(), path_, IfExists::Replace);
}

bool FileCheckpoints::due() const {
  return Clock::now() - last_ >= between_;
}

void FileCheckpoints::save(const ModelState& state) {
  save_state(state, StateKind::Checkpoint, path_, IfExists::Replace);
  last_ = Clock::now();
}

}  // namespace sieve
