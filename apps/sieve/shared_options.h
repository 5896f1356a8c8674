#pragma once

#include <string>
#include <vector>

#include "labelsieve/learner.h"
#include "labelsieve/pipeline.h"
#include "options.h"

namespace sieve {

// --max-memory, a flag of every verb.
Option memory_option();
// Sets the limit that was asked for. Error(Usage) if it is no size.
void heed_memory_option(const Arguments& arguments);

// --method and --set, the flags of every verb that trains.
std::vector<Option> method_options();

// The first of all methods where none is named.
const MethodInfo& chosen_method(const Arguments& arguments);
// The options of that method with what --set says. Error(Usage) names the nearest key, or what a
// value may be.
Options method_settings(const Arguments& arguments);

// --guarantee, --decided and --level, the flags of verbs that promise something of predictions.
std::vector<Option> guarantee_options(const std::string& help);

// Those of --guarantee, found out before the work. Error(Usage) for flags that need it.
std::vector<GuaranteeGoal> guarantee_goals(const Arguments& arguments);

// The rows of --decided, scored.
DecidedRows read_decided(const Arguments& arguments, const Model& model, ThreadPool& pool,
                         std::vector<std::string>& notes);

}  // namespace sieve
