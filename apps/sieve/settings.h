#pragma once

#include <vector>

#include "flags.h"
#include "options.h"

namespace sieve {

// Puts the layers together: flag > environment SIEVE_<FLAG> > --config file > default, and checks
// every value and the number of words.
Arguments effective_arguments(const Verb& verb, ParsedFlags flags, const std::vector<Verb>& verbs);

// "label-prefix" -> "SIEVE_LABEL_PREFIX"
std::string environment_name(const std::string& option);

}  // namespace sieve
