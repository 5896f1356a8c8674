#pragma once

#include <cstddef>
#include <functional>
#include <memory>

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

}  // namespace sieve
