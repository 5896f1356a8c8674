#include "labelsieve/model_io.h"

#include "base/file_lock.h"
#include "base/team_work.h"
#include "labelsieve/error.h"
#include "labelsieve/files.h"

namespace sieve {

namespace {

// A checkpoint is read again and replaced, which a pipe or a device does not allow.
std::string place_of(const std::string& path) {
  const Destination to = FileSystem::real().destination(path);
  if (to.kind == Destination::Kind::Stream)
    throw Error(Failure::Io, "a checkpoint cannot be kept in a pipe or a device", {path, 0, 0},
                "name a file");
  return to.path;
}

}  // namespace

FileCheckpoints::FileCheckpoints(const std::string& path, double seconds)
    : path_(place_of(path)),
      lock_(std::make_unique<FileLock>(path_, "training",
                                       "wait for its end, or choose other names for the outputs")),
      between_(seconds) {
  AtomicFile(FileSystem::real(), path_, IfExists::Replace);
}

FileCheckpoints::~FileCheckpoints() = default;

bool FileCheckpoints::due() const {
  return Clock::now() - last_ >= between_;
}

void FileCheckpoints::save(const ModelState& state) {
  save_state(state, StateKind::Checkpoint, path_, IfExists::Replace);
  last_ = Clock::now();
}

void FileCheckpoints::remove() {
  if (FileSystem::real().exists(path_)) FileSystem::real().remove(path_);
}

std::optional<ModelState> shared_checkpoint(Team& team, const std::optional<ModelState>& mine) {
  const std::string bytes =
      from_first_rank(team, mine ? encode_state(*mine, StateKind::Checkpoint) : "");
  if (bytes.empty()) return std::nullopt;
  return decode_state(bytes, StateKind::Checkpoint, "the checkpoint of rank 0");
}

}  // namespace sieve
