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

// The settings of one verb in a configuration file: TOML with one table a verb, whose keys are the
// names of the flags. The whole file is checked: Error(Usage) for a table that is no verb and a key
// that is no flag, with the nearest name.
Settings read_config(const std::string& path, const Verb& verb, const std::vector<Verb>& verbs);

// The effective configuration in the same form: what read_config would take.
std::string config_text(const Verb& verb, const Arguments& arguments);

// Puts the layers together: flag > environment SIEVE_<FLAG> > --config file > default, and checks
// every value and the number of words.
Arguments effective_arguments(const Verb& verb, ParsedFlags flags, const std::vector<Verb>& verbs);

// "label-prefix" -> "SIEVE_LABEL_PREFIX"
std::string environment_name(const std::string& option);

}  // namespace sieve
