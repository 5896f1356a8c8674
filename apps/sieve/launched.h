#pragma once

#include <memory>

#include "cluster/ranks.h"

namespace sieve {

// The ranks this process was started with by mpirun or srun; nullptr for a run on its own, which
// never touches MPI. Error(Usage) under a srun that gives its tasks no MPI.
std::unique_ptr<Ranks> launched_ranks();

}  // namespace sieve
