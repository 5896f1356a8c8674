#include "labelsieve/threads.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <limits>
#include <mutex>
#include <span>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "base/near_work.h"
#include "base/setting_names.h"
#include "base/system_call.h"

namespace sieve {
namespace {

thread_local bool inside_a_body = false;

// Indices that are taken one by one until none is left.
struct alignas(64) Share {
  std::atomic<std::size_t> next{0};
  std::size_t end = 0;
};

// One call of for_each, or of for_each_near if there is something around it.
struct Job {
  const std::function<void(std::size_t)>& body;
  const Around* around;
  std::span<Share> shares;
  std::mutex failing{};
  std::size_t failed_index = std::numeric_limits<std::size_t>::max();
  std::exception_ptr failure{};
  const WordTable* words = words_here();

  // Begins with the share of this number and goes on with the others'.
  void work(std::size_t first) {
    const bool outer = std::exchange(inside_a_body, true);
    use_words_here(words);
    const auto all = [this, first] {
      for (std::size_t s = 0; s < shares.size(); ++s) take(shares[(first + s) % shares.size()]);
    };
    if (around != nullptr)
      (*around)(std::cref(all));
    else
      all();
    inside_a_body = outer;
  }

  void take(Share& share) {
    for (std::size_t i; (i = share.next.fetch_add(1)) < share.end;) {
      try {
        body(i);
      } catch (...) {
        const std::lock_guard lock(failing);
        if (i < failed_index) failed_index = i, failure = std::current_exception();
      }
    }
  }
};

// Waking a sleeping thread takes longer than many a parallel call, and calls tend to come close
// together: whoever waits looks for a moment before it sleeps. Returns whether `ready` came true.
template <class Ready>
bool spin_until(const Ready& ready, std::chrono::microseconds limit) {
  const auto start = std::chrono::steady_clock::now();
  while (!ready()) {
    if (std::chrono::steady_clock::now() - start >= limit) return false;
#if defined(__x86_64__)
    for (int i = 0; i < 8; ++i) __builtin_ia32_pause();
#endif
  }
  return true;
}

}  // namespace

class ThreadPool::Workers {
 public:
  explicit Workers(std::size_t size) : size_(size), shares_(size) {}

  ~Workers() {
    {
      const std::lock_guard lock(mutex_);
      ending_ = true;
    }
    wake_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }

  std::size_t size() const { return size_; }
  pid_t owner() const { return owner_; }

  void run(std::size_t count, Job& job) {
    const std::lock_guard one_at_a_time(calls_);
    start();
    const std::size_t shares = job.around != nullptr ? size_ : 1;
    job.shares = {shares_.data(), shares};
    for (std::size_t s = 0; s < shares; ++s) {
      shares_[s].next = s * count / shares;
      shares_[s].end = (s + 1) * count / shares;
    }
    {
      const std::lock_guard lock(mutex_);
      job_ = &job;
      ++generation_;
    }
    wake_.notify_all();
    job.work(0);
    {
      // Nothing is left to take: a worker that has not woken up by now need not come at all.
      const std::lock_guard lock(mutex_);
      job_ = nullptr;
    }
    const auto all_done = [&] { return busy_ == 0; };
    if (spin_until(all_done, patience_)) return;
    std::unique_lock lock(mutex_);
    done_.wait(lock, all_done);
  }

 private:
  void start() {
    if (threads_.size() + 1 == size_) return;
    const HeldSignals here;  // new threads begin with what this one lets through
    try {
      while (threads_.size() + 1 < size_)
        threads_.emplace_back([this, i = threads_.size() + 1] { serve(i); });
    } catch (const std::system_error&) {
      // The system gives no more; fewer threads do the same work.
    }
  }

  void serve(std::size_t number) {
    std::uint64_t seen = 0;
    const auto called = [&] { return ending_ || generation_ != seen; };
    while (true) {
      spin_until(called, patience_);
      std::unique_lock lock(mutex_);
      wake_.wait(lock, called);
      if (ending_) return;
      seen = generation_;
      if (job_ == nullptr) continue;
      Job& job = *job_;
      ++busy_;
      lock.unlock();
      job.work(number);
      lock.lock();
      if (--busy_ == 0) done_.notify_one();
    }
  }

  const std::size_t size_;
  std::vector<Share> shares_;
  const pid_t owner_ = getpid();
  std::mutex calls_, mutex_;
  std::condition_variable wake_, done_;
  Job* job_ = nullptr;
  std::atomic<std::uint64_t> generation_ = 0;
  std::atomic<std::size_t> busy_ = 0;  // workers inside the job
  std::atomic<bool> ending_ = false;
  // Not where there are more threads than cores: there a waiting thread is in the others' way.
  const std::chrono::microseconds patience_{size_ <= std::thread::hardware_concurrency() ? 100 : 0};
  std::vector<std::thread> threads_;
};

ThreadPool::ThreadPool(std::size_t threads)
    : workers_(std::make_unique<Workers>(
          threads != 0 ? threads : std::max<std::size_t>(1, std::thread::hardware_concurrency()))) {
}

ThreadPool::~ThreadPool() {
  // After fork() the child has a copy of the bookkeeping but none of the threads.
  if (workers_->owner() != getpid()) (void)workers_.release();
}

std::size_t ThreadPool::size() const {
  return workers_->size();
}

void ThreadPool::for_each(std::size_t count, const std::function<void(std::size_t)>& body) {
  hand_out(count, body, nullptr);
}

void for_each_near(ThreadPool& pool, std::size_t count,
                   const std::function<void(std::size_t)>& body, const Around& around) {
  pool.hand_out(count, body, &around);
}

void ThreadPool::hand_out(std::size_t count, const std::function<void(std::size_t)>& body,
                          const Around* around) {
  Share all{0, count};
  Job job{body, around, {&all, 1}};
  if (workers_->owner() != getpid()) {
    Workers* parents = workers_.release();
    workers_ = std::make_unique<Workers>(parents->size());
  }
  if (count <= 1 || size() == 1 || inside_a_body)
    job.work(0);
  else
    workers_->run(count, job);
  if (job.failure) std::rethrow_exception(job.failure);
}

void ThreadPool::for_blocks(std::size_t count, std::size_t block,
                            const std::function<void(std::size_t, std::size_t)>& body) {
  block = std::max<std::size_t>(block, 1);
  const auto cut = [&](std::size_t b) { body(b * block, std::min(count, (b + 1) * block)); };
  for_each((count + block - 1) / block, std::cref(cut));  // by reference: nothing to allocate
}

}  // namespace sieve
