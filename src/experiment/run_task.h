#pragma once

#include "experiment/task.h"
#include "labelsieve/dataset.h"

namespace sieve {

// Does one task on its data set (labels filtered already): split, noise on the training rows, fit,
// measures against the truth of the test rows, all by the task's seed, on the calling thread alone.
// An error gives a failed result, never an exception.
Result run_task(const Task& task, const Dataset& data);

}  // namespace sieve
