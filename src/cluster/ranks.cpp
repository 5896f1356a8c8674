#include "cluster/ranks.h"

#include <dlfcn.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <exception>

#include "base/team_work.h"
#include "labelsieve/error.h"
#include "labelsieve/options.h"

namespace sieve {

std::unique_ptr<Ranks> join_ranks() {
  const auto refuse = [](const std::string& why) {
    return Error(Failure::Io, "MPI cannot be used: " + why, {},
                 "install OpenMPI (Debian: libopenmpi-dev) and build LabelSieve again");
  };
  // Global, because MPI loads modules of its own that look for its symbols.
  void* module = ::dlopen("liblabelsieve_mpi.so", RTLD_NOW | RTLD_GLOBAL);
  if (module == nullptr) throw refuse(::dlerror());
  const auto join = reinterpret_cast<Ranks* (*)()>(::dlsym(module, "sieve_join_ranks"));
  if (join == nullptr) throw refuse(::dlerror());
  return std::unique_ptr<Ranks>(join());
}

namespace {

using Clock = std::chrono::steady_clock;
constexpr double kMoment = 0.3;  // seconds

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// How work ended on a rank.
struct Verdict {
  Failure kind{};  // of what failed
  bool failed = false;
  std::array<char, 1000> message{};

  void fail(Failure why, const std::string& text) {
    kind = why;
    failed = true;
    text.copy(message.data(), message.size() - 1);
  }
};

}  // namespace

void RankTeam::exchange(std::size_t peer, std::span<const std::byte> out, std::span<std::byte> in) {
  const Clock::time_point start = Clock::now();
  std::optional<Clock::time_point> told_to_end;
  const auto give_up = [&] {
    if (!told_to_end && stop_()) told_to_end = Clock::now();
    return seconds_since(start) > patience_ ||
           (told_to_end && seconds_since(*told_to_end) > kMoment);
  };
  if (ranks_.exchange(static_cast<int>(peer), out, in, give_up)) return;
  // With more than two ranks the peer may be waiting too; whoever waits for the lost one names it.
  const char* what = size() > 2 ? "lost, or waiting for a lost one" : "lost";
  throw Error(
      Failure::Io,
      fmt::format("rank {} is {}: it has not answered rank {} for {:.1f} seconds", peer, what,
                  rank(), seconds_since(start)),
      {}, "continue from the checkpoint with " + term("resume_from") + ", on any number of ranks");
}

std::optional<Error> together(Team& team, const std::function<void()>& work) {
  Verdict mine;
  std::exception_ptr thrown;
  try {
    work();
  } catch (const Error& error) {
    mine.fail(error.kind(), error.what());
    thrown = std::current_exception();
  } catch (const std::exception& error) {
    mine.fail(Failure::Io, error.what());
    thrown = std::current_exception();
  }
  const std::vector<Verdict> all = gathered(team, mine);
  if (thrown) std::rethrow_exception(thrown);
  const auto failed = std::ranges::find(all, true, &Verdict::failed);
  if (failed == all.end()) return std::nullopt;
  return Error(failed->kind, fmt::format("rank {} cannot go on: {}", failed - all.begin(),
                                         failed->message.data()));
}

}  // namespace sieve
