#pragma once

#include <condition_variable>
#include <cstddef>
#include <mutex>

namespace sieve {

// Lets threads through one by one, in the order of the numbers they hold.
class Turnstile {
 public:
  // Waits for the turn of `number`, calls walk() and lets the next one in. Returns false without a
  // call once it is closed. If walk() throws, the turn is still that of `number`.
  template <class Walk>
  bool pass(std::size_t number, const Walk& walk) {
    std::unique_lock lock(mutex_);
    if (!wait(lock, number)) return false;
    walk();
    ++next_;
    moved_.notify_all();
    return true;
  }
  // Waits for the turn of `number`, then lets no more threads through. False if it was closed
  // already.
  bool close_at(std::size_t number) {
    std::unique_lock lock(mutex_);
    if (!wait(lock, number)) return false;
    closed_ = true;
    moved_.notify_all();
    return true;
  }
  void close() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    moved_.notify_all();
  }

 private:
  bool wait(std::unique_lock<std::mutex>& lock, std::size_t number) {
    moved_.wait(lock, [&] { return closed_ || next_ == number; });
    return !closed_;
  }

  std::mutex mutex_;
  std::condition_variable moved_;
  std::size_t next_ = 0;
  bool closed_ = false;
};

}  // namespace sieve
