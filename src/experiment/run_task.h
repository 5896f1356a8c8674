#pragma once

#include <string>

#include "experiment/task.h"
#include "labelsieve/dataset.h"

namespace sieve {

// What a worker found out about a task, as bytes for a pipe or a message: everything in a result
// except its task and what the store adds. Numbers come back bit for bit.
std::string pack_outcome(const Result& result);
// False if the bytes are incomplete, such as those of a worker that died.
bool unpack_outcome(const std::string& bytes, Result& result);

// Does one task on its data set (labels filtered already): split, noise on the training rows, fit,
// measures against the truth of the test rows, all by the task's seed, on the calling thread alone.
// An error gives a failed result, never an exception.
Result measure_task(const Task& task, const Dataset& data);
// The same, with the processor and the fingerprint of the method.
Result run_task(const Task& task, const Dataset& data);

}  // namespace sieve
