#pragma once

#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "data/text/text_lines.h"
#include "labelsieve/data_io.h"

namespace sieve {

// Rows of features that can be had in any order.
struct RowSource {
  std::size_t rows, cols;
  std::vector<std::string> names;
  // Rows [first, last), on several threads at once. What `into` holds before is free for use.
  std::function<void(std::size_t first, std::size_t last, Features& into)> copy;
  std::function<void()> give_back;     // nothing that was looked at so far is needed again
  std::span<const std::string> ids{};  // of the rows, or none
};
// What read_features does with them. As those of that kind above, it gives the number of rows so
// far, those of the files before included.
std::size_t take_rows(const RowSource& source, ThreadPool* pool, std::size_t rows_before,
                      const TakeFeatures& take);
std::size_t take_features(const Features& features, std::vector<std::string> names,
                          ThreadPool* pool, std::size_t rows_before, const TakeFeatures& take,
                          std::span<const std::string> ids = {});
// A dense matrix in `place`, in the memory of the one before where that fits: fresh memory for
// every block would cost as much as reading it. What it holds means nothing.
Matrix& dense_room(Features& place, std::size_t rows, std::size_t cols);

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

// A raw block of a text file.
struct RawText {
  TextBuffer storage;
  TextBlock text;
};

// Blocks of features on their way from a file to whoever takes them. Each thread of a pool sees a
// block through from its raw form to the end, so that the block stays in that core's cache and no
// thread waits for a common end of a step; only taking raw blocks off the file, counting rows and
// finishing go in the order of the file. A failure comes out when all blocks before it are
// finished, as it would with one thread.
template <class Raw>
class FeatureStream {
 public:
  // The next raw block, one call at a time; false at the end.
  using Next = std::function<bool(Raw&)>;
  // Makes features of it; several at once. What the two hold before is of a block that is done.
  using Parse = std::function<void(Raw&, FeatureBlock&)>;

  FeatureStream(Next next, Parse parse, std::vector<std::string> names, TakeFeatures take)
      : next_(std::move(next)),
        parse_(std::move(parse)),
        names_(std::move(names)),
        take_(std::move(take)) {}

  // The number of rows, those of `rows_before` included.
  std::size_t run(ThreadPool* pool, std::size_t rows_before) {
    rows_ = rows_before;
    ThreadPool alone(1);
    ThreadPool& threads = pool != nullptr ? *pool : alone;
    threads.for_each(threads.size(), [&](std::size_t) { see_blocks_through(); });
    if (failure_) std::rethrow_exception(failure_);
    return rows_;
  }

 private:
  void see_blocks_through() {
    Raw raw;
    FeatureBlock block;
    block.names = names_;
    for (std::size_t number = 0; begin(raw, number);) {
      try {
        if (!see_through(number, raw, block)) return;
      } catch (...) {
        return fail(number, std::current_exception());
      }
    }
  }

  bool begin(Raw& raw, std::size_t& number) {
    const std::lock_guard one_at_a_time(reading_);
    if (ended_) return false;
    number = begun_++;
    try {
      ended_ = !next_(raw);
    } catch (...) {
      fail(number, std::current_exception());
      ended_ = true;
    }
    return !ended_;
  }

  // False if a block before this one failed.
  bool see_through(std::size_t number, Raw& raw, FeatureBlock& block) {
    parse_(raw, block);
    const bool counted = counting_.pass(number, [&] {
      block.first_row = rows_;
      rows_ += block.features.rows();
    });
    if (!counted) return false;
    if (block.features.rows() == 0) return finishing_.pass(number, [] {});
    return finishing_.pass(number, take_(block));
  }

  void fail(std::size_t number, std::exception_ptr failure) {
    if (!finishing_.close_at(number)) return;
    counting_.close();
    failure_ = std::move(failure);
  }

  Next next_;
  Parse parse_;
  std::vector<std::string> names_;
  TakeFeatures take_;
  std::mutex reading_;
  Turnstile counting_, finishing_;
  std::size_t begun_ = 0, rows_ = 0;
  bool ended_ = false;
  std::exception_ptr failure_;
};

}  // namespace sieve
