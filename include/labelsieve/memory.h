#pragma once

#include <array>
#include <cstdint>
#include <new>
#include <string>

// How much memory this process may take. The data sets, matrices and models of the library count;
// files that are mapped do not.
namespace sieve {

// More memory was requested than is allowed. what() gives both amounts.
class OverMemory : public std::bad_alloc {
 public:
  OverMemory(std::uint64_t needed, std::uint64_t allowed, bool by_limit);
  const char* what() const noexcept override { return text_.data(); }
  bool by_limit() const { return by_limit_; }  // set by set_memory_limit(), not by the machine

 private:
  std::array<char, 160> text_{};  // a string would ask for memory
  bool by_limit_;
};

// From now on a request for more memory than that throws OverMemory. Call it once,
// before the work.
void set_memory_limit(std::uint64_t bytes);
// The limit that was set, otherwise what the machine or the container has.
std::uint64_t memory_limit();

// Error(Usage) unless `bytes` for `what` ("classifiers for 12 labels") fit into memory_limit().
void require_memory(double bytes, const std::string& what, const std::string& hint);

// Count memory before it is taken from the system, and after it was given back. take_memory()
// throws OverMemory past the limit or, without a limit, for a request that this machine can never
// meet. Any thread.
void take_memory(std::uint64_t bytes);
void give_memory(std::uint64_t bytes) noexcept;
bool may_take_memory(std::uint64_t bytes) noexcept;
bool has_memory_limit() noexcept;

}  // namespace sieve
