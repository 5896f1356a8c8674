#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "cluster/meeting.h"
#include "experiment/experiment.h"

// An experiment on the ranks that mpirun or srun started together.
namespace sieve {

// What rank 0 does: deals the tasks, keeps the results and works itself. Throws what
// run_experiment() does, after the other ranks know.
struct GridTally {
  Tally tally;
  std::vector<std::string> notes;  // ranks that were lost or never came
};
GridTally lead_grid(Agenda& agenda, const ExperimentOptions& options, GridPlace place,
                    Progress& progress);

// What a rank other than 0 does: goes to rank 0, reads plan and data, and does the tasks it is
// given, `options.jobs` at a time, until rank 0 has no more. Returns when all is done. Throws what
// ended the grid, on whichever rank that was; Error(Io) if rank 0 is gone.
void work_on_grid(const ExperimentOptions& options, std::size_t rank,
                  const std::string& invitation);

}  // namespace sieve
