#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "cluster/meeting.h"
#include "cluster/ranks.h"

namespace sieve {

// The ranks this process was started with by mpirun or srun; nullptr for a run on its own, which
// never touches MPI. Error(Usage) under a srun that gives its tasks no MPI. If not all have started
// after `patience` seconds the process ends with the exit code of Failure::Io and says so.
std::unique_ptr<Ranks> launched_ranks(double patience);

// A rank's place among the others once all of them have left MPI, which cannot live on without a
// rank that died. From here on rank 0 is found at its meeting point.
struct GridPlace {
  std::size_t rank = 0, ranks = 1;
  std::string invitation;             // to rank 0
  std::optional<MeetingPoint> point;  // on rank 0
};
// nullopt for a run on its own.
std::optional<GridPlace> launched_grid();

}  // namespace sieve
