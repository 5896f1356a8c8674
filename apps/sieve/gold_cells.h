#pragma once

#include <vector>

#include "labelsieve/pipeline.h"
#include "options.h"

namespace sieve {

// The cells of --gold: a table, the answered list of an audit, or the file of decisions that an
// audit on the page left.
std::vector<GoldCell> gold_cells(const Arguments& arguments, const Dataset& data);

// Whoever corrects labels by decided cells should know that these do not measure the result.
extern const char* const kAuditAnew;

}  // namespace sieve
