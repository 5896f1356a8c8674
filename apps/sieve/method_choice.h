#pragma once

#include <string>
#include <vector>

#include "labelsieve/learner.h"
#include "options.h"

namespace sieve {

// --method and --set, the flags of every verb that trains.
std::vector<Option> method_options();

// The first of all methods where none is named.
const MethodInfo& chosen_method(const Arguments& arguments);
// The options of that method with what --set says. Error(Usage) names the nearest key, or what a
// value may be.
Options method_settings(const Arguments& arguments);

}  // namespace sieve
