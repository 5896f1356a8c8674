#include "labelsieve/threads.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <fstream>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "base/near_work.h"

namespace sieve {
namespace {

const Around kPlain = [](const std::function<void()>& share) { share(); };

TEST(ThreadPool, calls_every_index_once) {
  for (const std::size_t threads : {1U, 2U, 3U, 8U}) {
    ThreadPool pool(threads);
    EXPECT_EQ(pool.size(), threads);
    for (const std::size_t count : {0U, 1U, 2U, 7U, 1000U}) {
      std::vector<std::atomic<int>> calls(count);
      pool.for_each(count, [&](std::size_t i) { ++calls[i]; });
      for (const auto& n : calls) EXPECT_EQ(n, 1);
      for_each_near(
          pool, count, [&](std::size_t i) { ++calls[i]; }, kPlain);
      for (const auto& n : calls) EXPECT_EQ(n, 2);
    }
  }
}

TEST(ThreadPool, blocks_cover_the_range) {
  ThreadPool pool(3);
  std::vector<int> seen(103);
  pool.for_blocks(seen.size(), 10, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) ++seen[i];
  });
  EXPECT_EQ(seen, std::vector<int>(103, 1));
}

// Two bodies wait for each other at the start, so two threads work: each begins at the head of its
// own half, whoever comes first.
TEST(ThreadPool, near_work_begins_with_a_stretch_of_each_thread_s_own) {
  ThreadPool pool(2);
  std::atomic<int> begun = 0;
  std::vector<std::thread::id> who(100);
  const auto body = [&](std::size_t i) {
    who[i] = std::this_thread::get_id();
    if (i % 50 == 0)
      for (++begun; begun < 2;) std::this_thread::yield();
  };
  std::atomic<int> entered = 0;
  for_each_near(pool, who.size(), body, [&](const std::function<void()>& share) {
    ++entered;
    share();
  });
  EXPECT_EQ(entered, 2);
  EXPECT_EQ(who[0], std::this_thread::get_id());
  EXPECT_NE(who[50], who[0]);
}

TEST(ThreadPool, rethrows_the_failure_of_the_smallest_index_after_all_ended) {
  ThreadPool pool(4);
  for (int round = 0; round < 50; ++round) {
    std::atomic<int> calls = 0;
    try {
      pool.for_each(64, [&](std::size_t i) {
        ++calls;
        if (i % 10 == 3) throw std::runtime_error(std::to_string(i));
      });
      FAIL() << "nothing was thrown";
    } catch (const std::runtime_error& error) {
      EXPECT_STREQ(error.what(), "3");
    }
    EXPECT_EQ(calls, 64);
  }
}

TEST(ThreadPool, a_call_from_inside_a_body_runs_inline) {
  ThreadPool pool(2);
  std::atomic<int> calls = 0;
  pool.for_each(4, [&](std::size_t) { pool.for_each(5, [&](std::size_t) { ++calls; }); });
  EXPECT_EQ(calls, 20);
}

TEST(ThreadPool, works_in_a_child_after_fork) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "the thread sanitizer allows no new threads after fork";
#endif
  ThreadPool pool(2);
  pool.for_each(8, [](std::size_t) {});
  const pid_t child = fork();
  if (child == 0) {
    std::atomic<std::size_t> sum = 0;
    pool.for_each(100, [&](std::size_t i) { sum += i; });
    _exit(sum == 4950 ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  pool.for_each(8, [](std::size_t) {});
}

TEST(ThreadPool, does_its_work_with_fewer_threads_where_the_system_gives_no_more) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "the sanitizers do not live in a limited address space";
#endif
  const pid_t child = fork();
  if (child == 0) {
    unsigned long pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    const rlim_t most = pages * static_cast<rlim_t>(sysconf(_SC_PAGESIZE)) + (rlim_t{40} << 20);
    const rlimit limit{most, most};
    setrlimit(RLIMIT_AS, &limit);
    ThreadPool pool(1000);
    std::atomic<std::size_t> sum = 0;
    pool.for_each(10000, [&](std::size_t i) { sum += i; });
    _exit(sum == 49995000 ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace sieve
