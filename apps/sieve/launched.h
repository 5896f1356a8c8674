#pragma once

#include <memory>
#include <optional>

#include "cluster/meeting.h"
#include "cluster/ranks.h"

namespace sieve {

// The ranks this process was started with by mpirun or srun; nullptr for a run on its own, which
// never touches MPI. Error(Usage) under a srun that gives its tasks no MPI. If not all have started
// after `patience` seconds the process ends with the exit code of Failure::Io and says so.
std::unique_ptr<Ranks> launched_ranks(double patience);

// The place of this process among them; nullopt for a run on its own.
std::optional<GridPlace> launched_grid();

}  // namespace sieve
