#include "training_ranks.h"

#include <algorithm>
#include <bit>
#include <csignal>
#include <utility>

#include <fmt/format.h>

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

}  // namespace

Option rank_timeout_option() {
  return real("rank-timeout",
              "under mpirun: seconds without an answer before a rank counts as lost", 0.1, 1e6,
              "120");
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
  const std::optional<Error> elsewhere = sieve::together(*team_, work);
  if (!elsewhere) return;
  // mpirun tells all ranks to end as soon as the failed one has: there is time to say why.
  std::signal(SIGTERM, SIG_IGN);
  throw *elsewhere;
}

std::optional<ModelState> TrainingRanks::shared(std::optional<ModelState> state) {
  return team_ ? shared_checkpoint(*team_, state) : std::move(state);
}

void TrainingRanks::heed_stop_requests() {
  if (team_) team_->heed(StopRequests::came);
}

}  // namespace sieve
