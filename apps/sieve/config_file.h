#pragma once

#include <string>
#include <vector>

#include "options.h"

namespace sieve {

// The settings of one verb in a configuration file: TOML with one table a verb, whose keys are the
// names of the flags. The whole file is checked: Error(Usage) for a table that is no verb and a key
// that is no flag, with the nearest name.
Settings read_config(const std::string& path, const Verb& verb, const std::vector<Verb>& verbs);

// The effective configuration in the same form: what read_config would take.
std::string config_text(const Verb& verb, const Arguments& arguments);

}  // namespace sieve
