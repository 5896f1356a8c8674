#pragma once

#include <string>

namespace sieve {

// Keeps every other writer away from a store while it lives, by a lock on the file <store>.lock.
// The system frees it with the process, however that ends; children made by fork() do not hold it.
class StoreLock {
 public:
  // Error(Io) that names the process which holds it.
  explicit StoreLock(const std::string& store);
  ~StoreLock();
  StoreLock(const StoreLock&) = delete;
  StoreLock& operator=(const StoreLock&) = delete;

 private:
  int descriptor_;
};

}  // namespace sieve
