#pragma once

#include <string>

#include "experiment/experiment.h"

namespace sieve {

// What a rank other than 0 does: goes to rank 0, reads plan and data, and does the tasks it is
// given, `options.jobs` at a time, until rank 0 has no more. Returns when all is done. Throws what
// ended the grid, on whichever rank that was; Error(Io) if rank 0 is gone.
void work_on_grid(const ExperimentOptions& options, std::size_t rank,
                  const std::string& invitation);

}  // namespace sieve
