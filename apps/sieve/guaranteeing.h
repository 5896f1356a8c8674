#pragma once

#include <string>
#include <vector>

#include "labelsieve/pipeline.h"
#include "options.h"

namespace sieve {

// --guarantee, --decided and --level, the flags of verbs that promise something of predictions.
std::vector<Option> guarantee_options(const std::string& help);

// Those of --guarantee, found out before the work. Error(Usage) for flags that need it.
std::vector<GuaranteeGoal> guarantee_goals(const Arguments& arguments);

// The rows of --decided, scored.
DecidedRows read_decided(const Arguments& arguments, const Model& model, ThreadPool& pool,
                         std::vector<std::string>& notes);

}  // namespace sieve
