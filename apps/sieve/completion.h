#pragma once

#include <string>
#include <vector>

#include "options.h"

namespace sieve {

// Scripts that teach a shell the verbs, their flags and the values of the flags.
std::string bash_completion(const std::vector<Verb>& verbs);
std::string zsh_completion(const std::vector<Verb>& verbs);
std::string fish_completion(const std::vector<Verb>& verbs);

}  // namespace sieve
