#pragma once

#include <cstddef>
#include <span>

namespace sieve {

// The ranks (processes, usually on several machines) that share one fit. All of them make the
// same calls in the same order. Must not be used by two threads at once.
class Team {
 public:
  virtual ~Team() = default;
  virtual std::size_t rank() const = 0;  // 0 ... size() - 1
  virtual std::size_t size() const = 0;  // a power of two
  // Sends `out` to the rank `peer` and receives `in` from it, while the peer does the same in the
  // other direction; either may be empty. The two must not overlap. Never waits forever:
  // Error(Io) that names the rank when it is gone or does not answer in time.
  virtual void exchange(std::size_t peer, std::span<const std::byte> out,
                        std::span<std::byte> in) = 0;
};

}  // namespace sieve
