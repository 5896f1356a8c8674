#pragma once

#include <string>

#include "experiment/task.h"

namespace sieve {

// What a worker found out about a task, as bytes for a pipe or a message: everything in a result
// except its task and what the store adds. Numbers come back bit for bit.
std::string pack_outcome(const Result& result);
// False if the bytes are incomplete, such as those of a worker that died.
bool unpack_outcome(const std::string& bytes, Result& result);

}  // namespace sieve
