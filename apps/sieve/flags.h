#pragma once

#include <string>
#include <vector>

#include "options.h"

namespace sieve {

struct ParsedFlags {
  Settings set;
  std::vector<std::string> words;
  bool help = false;
};

// The words after the verb, by its table of options. Error(Usage) for an unknown flag (with the
// nearest one), a repeated flag or a missing value.
ParsedFlags parse_flags(const Verb& verb, const std::vector<std::string>& words);

}  // namespace sieve
