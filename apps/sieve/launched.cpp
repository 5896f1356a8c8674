#include "launched.h"

#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <string_view>

#include "options.h"
#include "terminal.h"

namespace sieve {
namespace {

bool more_than_one(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr && std::string_view(value) != "1";
}

constexpr unsigned kPatience = 300;  // seconds until all ranks must have started

void give_up(int) {
  write_all(STDERR_FILENO, "sieve: not all ranks have started within five minutes\n");
  ::_exit(static_cast<int>(Failure::Io));
}

// MPI waits without end for a rank that died before it joined.
class Alarm {
 public:
  Alarm() : old_handler_(std::signal(SIGALRM, give_up)) { ::alarm(kPatience); }
  ~Alarm() {
    ::alarm(0);
    std::signal(SIGALRM, old_handler_);
  }
  Alarm(const Alarm&) = delete;
  Alarm& operator=(const Alarm&) = delete;

 private:
  void (*old_handler_)(int);
};

}  // namespace

std::unique_ptr<Ranks> launched_ranks() {
  // mpirun of OpenMPI; any launcher by PMIx, such as srun --mpi=pmix; launchers by PMI.
  const bool by_pmix =
      std::getenv("PMIX_RANK") != nullptr && std::getenv("OMPI_COMM_WORLD_SIZE") == nullptr;
  if (!more_than_one("OMPI_COMM_WORLD_SIZE") && !by_pmix && !more_than_one("PMI_SIZE")) {
    if (more_than_one("SLURM_STEP_NUM_TASKS"))
      throw usage_error("srun has started several tasks that know nothing of each other",
                        "start them with srun --mpi=pmix");
    return nullptr;
  }
  const Alarm alarm;
  std::unique_ptr<Ranks> ranks = join_ranks();
  return ranks->size() > 1 ? std::move(ranks) : nullptr;
}

std::optional<GridPlace> launched_grid() {
  std::unique_ptr<Ranks> ranks = launched_ranks();
  if (!ranks) return std::nullopt;
  const Alarm alarm;
  GridPlace place;
  place.rank = static_cast<std::size_t>(ranks->rank());
  place.ranks = static_cast<std::size_t>(ranks->size());
  if (place.rank == 0) place.point.emplace();
  place.invitation = ranks->gather_all(place.point ? place.point->invitation() : "").front();
  ranks.reset();
  return place;
}

}  // namespace sieve
