#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <string_view>

namespace sieve {

// A pool of worker threads. The caller works too, so ThreadPool(1) starts no thread.
//
// Work is handed out by index: results must depend on the index alone, never on which thread ran
// it or how many there are. That is what makes every result the same for any number of threads.
class ThreadPool {
 public:
  // threads = 0 means one per core. Workers start at the first parallel call.
  explicit ThreadPool(std::size_t threads = 0);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  std::size_t size() const;

  // Calls body(0) ... body(count - 1), each once, and returns when all are done. If some throw, the
  // exception of the smallest index that threw is rethrown here after all have ended. A call from
  // inside a body runs inline. Safe to use in a child after fork(): the child starts workers of its
  // own.
  void for_each(std::size_t count, const std::function<void(std::size_t)>& body);

  // Cuts [0, count) into blocks of `block` items (the last may be shorter) and calls
  // body(first, last) for each.
  void for_blocks(std::size_t count, std::size_t block,
                  const std::function<void(std::size_t, std::size_t)>& body);

 private:
  using Around = std::function<void(const std::function<void()>&)>;
  friend void for_each_near(ThreadPool& pool, std::size_t count,
                            const std::function<void(std::size_t)>& body, const Around& around);
  void hand_out(std::size_t count, const std::function<void(std::size_t)>& body,
                const Around* around);

  class Workers;
  std::unique_ptr<Workers> workers_;
};

// Reports the progress of long-running work, and asks it to stop. The command, the Python module
// and the server each have their own. The default does nothing. Calls come from the thread that
// started the work, but stop_requested() from any.
class Progress {
 public:
  virtual ~Progress() = default;

  // A stage of `total` units begins (0: not known in advance).
  virtual void begin(std::string_view stage, std::size_t total) { (void)stage, (void)total; }
  // `done` units of the current stage are finished; `note` is a short text such as losses.
  virtual void update(std::size_t done, std::string_view note = {}) { (void)done, (void)note; }
  virtual void end() {}
  // True once the work should come to an orderly end.
  virtual bool stop_requested() const { return false; }
};

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

// How much memory this process may take. The data sets, matrices and models of the library count;
// files that are mapped do not.

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
