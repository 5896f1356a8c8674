#pragma once

#include <string>
#include <vector>

#include "json.h"
#include "labelsieve/learner.h"
#include "options.h"

namespace sieve {

// --method and --set, the flags of every verb that trains.
std::vector<Option> method_options();

const MethodInfo& chosen_method(const Arguments& arguments);
// The options of that method with what --set says. Error(Usage) names the nearest key, or what a
// value may be.
Options method_settings(const Arguments& arguments);

// {"epochs": "30", ...}
Json json_texts(const std::map<std::string, std::string>& values);

}  // namespace sieve
