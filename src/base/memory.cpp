#include "labelsieve/threads.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <limits>

#include <fmt/format.h>

#include "base/format_text.h"
#include "labelsieve/error.h"

namespace sieve {
namespace {

constexpr std::uint64_t kNone = std::numeric_limits<std::uint64_t>::max();
constexpr std::uint64_t kLarge = std::uint64_t{1} << 30;  // smaller requests are just tried

std::atomic<std::uint64_t> limit{kNone};
std::atomic<std::int64_t> taken{0};

std::uint64_t machine_memory() {
  std::uint64_t bytes = static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) *
                        static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  if (std::FILE* file = std::fopen("/sys/fs/cgroup/memory.max", "r")) {
    unsigned long long most = 0;
    if (std::fscanf(file, "%llu", &most) == 1) bytes = std::min<std::uint64_t>(bytes, most);
    std::fclose(file);
  }
  return bytes;
}

}  // namespace

OverMemory::OverMemory(std::uint64_t needed, std::uint64_t allowed, bool by_limit)
    : by_limit_(by_limit) {
  std::array<char, 32> need{}, most{};
  write_bytes_text(need, static_cast<double>(needed));
  write_bytes_text(most, static_cast<double>(allowed));
  fmt::format_to_n(text_.data(), text_.size() - 1, "at least {} of memory is needed; {} {}",
                   need.data(), by_limit ? "the limit is" : "this machine has", most.data());
}

void set_memory_limit(std::uint64_t bytes) {
  limit = bytes;
}

bool has_memory_limit() noexcept {
  return limit.load(std::memory_order_relaxed) != kNone;
}

std::uint64_t memory_limit() {
  static const std::uint64_t machine = machine_memory();
  return std::min(limit.load(std::memory_order_relaxed), machine);
}

void require_memory(double bytes, const std::string& what, const std::string& hint) {
  const std::uint64_t allowed = memory_limit();
  if (bytes <= static_cast<double>(allowed)) return;
  throw Error(Failure::Usage,
              fmt::format("{} would take {} of memory, and {} {}", what, bytes_text(bytes),
                          has_memory_limit() ? "the limit is" : "this machine has",
                          bytes_text(static_cast<double>(allowed))),
              {}, hint);
}

bool may_take_memory(std::uint64_t bytes) noexcept {
  const std::uint64_t most = limit.load(std::memory_order_relaxed);
  const auto now = static_cast<std::uint64_t>(std::max<std::int64_t>(taken.load(), 0));
  return most == kNone || (bytes <= most && now <= most - bytes);
}

void take_memory(std::uint64_t bytes) {
  if (bytes >= kLarge && bytes > memory_limit())
    throw OverMemory(bytes, memory_limit(), has_memory_limit());
  const std::int64_t before = taken.fetch_add(static_cast<std::int64_t>(bytes));
  const auto needed = static_cast<std::uint64_t>(std::max<std::int64_t>(before, 0)) + bytes;
  if (needed <= limit.load(std::memory_order_relaxed)) return;
  give_memory(bytes);
  throw OverMemory(needed, limit, true);
}

void give_memory(std::uint64_t bytes) noexcept {
  taken.fetch_sub(static_cast<std::int64_t>(bytes));
}

}  // namespace sieve
