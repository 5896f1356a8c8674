#pragma once

#include <string>

#include "base/unfinished_names.h"

namespace sieve {

// Keeps every other process away from `path` while it lives, by a lock on the file <path>.lock,
// which is removed with it. The system releases the lock when the process ends, however it ends;
// children made by fork() do not hold it, and must exit without running
// destructors.
class FileLock {
 public:
  // Error(Io) if another process has it: "another <who> (process 12) is at work here", with `hint`.
  FileLock(const std::string& path, const std::string& who, const std::string& hint);
  ~FileLock();
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

 private:
  UnfinishedName name_;
  int descriptor_ = -1;
};

}  // namespace sieve
