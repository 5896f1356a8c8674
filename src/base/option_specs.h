#pragma once

#include <string>
#include <utility>
#include <vector>

#include "labelsieve/options.h"

// Entries of an option table in one line each.
namespace sieve {

inline OptionSpec real_option(std::string key, std::string value, std::string help, double low,
                              double high) {
  return {std::move(key), OptionSpec::Type::Real, std::move(value), std::move(help), low, high};
}

inline OptionSpec integer_option(std::string key, std::string value, std::string help, double low,
                                 double high) {
  return {std::move(key), OptionSpec::Type::Integer, std::move(value), std::move(help), low, high};
}

// The first choice is the default.
inline OptionSpec choice_option(std::string key, std::vector<std::string> choices,
                                std::string help) {
  return {.key = std::move(key),
          .type = OptionSpec::Type::Choice,
          .default_value = choices.front(),
          .help = std::move(help),
          .choices = choices};
}

inline OptionSpec flag_option(std::string key, bool value, std::string help) {
  return {std::move(key), OptionSpec::Type::Flag, value ? "true" : "false", std::move(help)};
}

}  // namespace sieve
