#include "launched.h"

#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "labelsieve/model_io.h"
#include "signals.h"
#include "terminal.h"

namespace sieve {
namespace {

bool more_than_one(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr && std::string_view(value) != "1";
}

constexpr double kPatience = 300;  // seconds until all ranks of a grid must have started

std::string last_words;  // put together before the alarm, which may not

void give_up(int) {
  write_all(STDERR_FILENO, last_words);
  ::_exit(static_cast<int>(Failure::Io));
}

// MPI waits without end for a rank that died before it joined.
class Alarm {
 public:
  explicit Alarm(double seconds) {
    last_words = fmt::format("sieve: not all ranks started within {} seconds\n", seconds);
    old_handler_ = std::signal(SIGALRM, give_up);
    set(seconds);
  }
  ~Alarm() {
    set(0);
    std::signal(SIGALRM, old_handler_);
  }
  Alarm(const Alarm&) = delete;
  Alarm& operator=(const Alarm&) = delete;

 private:
  static void set(double seconds) {
    const double whole = std::floor(seconds);
    itimerval timer{};
    timer.it_value.tv_sec = static_cast<time_t>(whole);
    timer.it_value.tv_usec = static_cast<suseconds_t>((seconds - whole) * 1e6);
    ::setitimer(ITIMER_REAL, &timer, nullptr);
  }
  void (*old_handler_)(int);
};

}  // namespace

std::unique_ptr<Ranks> launched_ranks(double patience) {
  // mpirun of OpenMPI; any launcher by PMIx, such as srun --mpi=pmix; launchers by PMI.
  const bool by_pmix =
      std::getenv("PMIX_RANK") != nullptr && std::getenv("OMPI_COMM_WORLD_SIZE") == nullptr;
  if (!more_than_one("OMPI_COMM_WORLD_SIZE") && !by_pmix && !more_than_one("PMI_SIZE")) {
    if (more_than_one("SLURM_STEP_NUM_TASKS"))
      throw usage_error("srun started several tasks without connecting them",
                        "start them with srun --mpi=pmix");
    return nullptr;
  }
  const Alarm alarm(patience);
  std::unique_ptr<Ranks> ranks = join_ranks();
  return ranks->size() > 1 ? std::move(ranks) : nullptr;
}

std::optional<GridPlace> launched_grid() {
  std::unique_ptr<Ranks> ranks = launched_ranks(kPatience);
  if (!ranks) return std::nullopt;
  const Alarm alarm(kPatience);
  GridPlace place = place_on_grid(*ranks);
  ranks.reset();
  return place;
}

// ---- one training on several ranks

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
