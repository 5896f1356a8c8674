#include "launched.h"

#include <sys/time.h>
#include <unistd.h>

#include <cmath>
#include <csignal>
#include <cstdlib>
#include <string_view>

#include <fmt/format.h>

#include "options.h"
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

}  // namespace sieve
