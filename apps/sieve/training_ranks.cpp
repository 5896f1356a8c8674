#include "training_ranks.h"

#include <algorithm>
#include <array>
#include <bit>
#include <csignal>
#include <exception>

#include <fmt/format.h>

#include "base/team_work.h"
#include "labelsieve/model_io.h"
#include "launched.h"
#include "signals.h"

namespace sieve {
namespace {

bool can_be_shared(const MethodInfo& method) {
  return std::ranges::find(method.options, "parts", &OptionSpec::key) != method.options.end();
}

std::string names_of_shared() {
  std::vector<std::string> names;
  for (const MethodInfo& method : all_methods())
    if (can_be_shared(method)) names.push_back(method.name);
  return joined(names, ", ");
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

Option rank_timeout_option() {
  return real("rank-timeout", "under mpirun: seconds without an answer until a rank counts as lost",
              0.1, 1e6, "120");
}

TrainingRanks::TrainingRanks(const Arguments& arguments, const MethodInfo& method)
    : ranks_(launched_ranks(arguments.real("rank-timeout"))) {
  if (!ranks_) return;
  if (!std::has_single_bit(static_cast<unsigned>(ranks_->size())))
    throw usage_error(fmt::format("a training cannot be shared by {} ranks", ranks_->size()),
                      "start 1, 2, 4, 8, ... of them");
  if (!can_be_shared(method))
    throw usage_error("the method '" + method.name + "' cannot be trained on several ranks",
                      "start it without mpirun, or take one of " + names_of_shared());
  team_.emplace(*ranks_, arguments.real("rank-timeout"));
}

void TrainingRanks::together(const std::function<void()>& work) {
  if (!team_) return work();
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
  const std::vector<Verdict> all = gathered(*team_, mine);
  if (thrown) std::rethrow_exception(thrown);
  const auto failed = std::ranges::find(all, true, &Verdict::failed);
  if (failed == all.end()) return;
  // mpirun tells all ranks to end as soon as the failed one has: there is time to say why.
  std::signal(SIGTERM, SIG_IGN);
  throw Error(failed->kind, fmt::format("rank {} cannot go on: {}", failed - all.begin(),
                                        failed->message.data()));
}

std::optional<ModelState> TrainingRanks::shared(std::optional<ModelState> state) {
  if (!team_) return state;
  const std::string bytes =
      from_first_rank(*team_, state ? encode_state(*state, StateKind::Checkpoint) : "");
  if (bytes.empty()) return std::nullopt;
  return decode_state(bytes, StateKind::Checkpoint, "the checkpoint of rank 0");
}

void TrainingRanks::heed_stop_requests() {
  if (team_) team_->heed(StopRequests::came);
}

}  // namespace sieve
