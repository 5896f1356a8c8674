#pragma once

#include <cstdint>
#include <limits>

#include "labelsieve/threads.h"

namespace sieve::test {

// The limit of the process while this lives.
class MemoryLimit {
 public:
  explicit MemoryLimit(std::uint64_t bytes) { set_memory_limit(bytes); }
  ~MemoryLimit() { set_memory_limit(std::numeric_limits<std::uint64_t>::max()); }
  MemoryLimit(const MemoryLimit&) = delete;
  MemoryLimit& operator=(const MemoryLimit&) = delete;
};

}  // namespace sieve::test
