#pragma once

#include <string>

#include "base/unfinished_names.h"

namespace sieve {

// Keeps every other process away from what `path` stands for while it lives, by a lock on the file
// <path>.lock, which goes with it. The system frees the lock with the process, however that ends;
// children made by fork() do not hold it, and leave without
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
