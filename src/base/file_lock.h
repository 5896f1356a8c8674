#pragma once

#include <string>

#include "base/new_file.h"

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

// Keeps away every other holder of such a lock on the same file, whatever name each knows it by:
// the lock is on the file itself, beyond its end, where nothing else is locked. The file is made if
// it is not there, and stays. Whoever locks parts of the file by fcntl (SQLite does) has to be done
// with it before this ends: closing a descriptor ends all such locks of a process.
class SameFileLock {
 public:
  // Error(Io) if it is held already: "another <who> is using this ...", with `hint`.
  SameFileLock(const std::string& path, const std::string& who, const std::string& hint);
  ~SameFileLock();
  SameFileLock(const SameFileLock&) = delete;
  SameFileLock& operator=(const SameFileLock&) = delete;

 private:
  int descriptor_ = -1;
};

}  // namespace sieve
