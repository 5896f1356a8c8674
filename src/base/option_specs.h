#pragma once

#include <string>
#include <utility>
#include <vector>

#include "labelsieve/options.h"

// Entries of an option table in one line each.
namespace sieve {

// With the default "auto", that is a value too.
inline OptionSpec real_option(std::string key, std::string value, std::string help, double low,
                              double high) {
  const bool can_be_auto = value == "auto";
  return {std::move(key), OptionSpec::Type::Real, std::move(value), std::move(help), low, high, {},
          can_be_auto};
}

inline OptionSpec integer_option(std::string key, std::string value, std::string help, double low,
                                 double high) {
  OptionSpec option = real_option(std::move(key), std::move(value), std::move(help), low, high);
  option.type = OptionSpec::Type::Integer;
  return option;
}

// The first choice is the default unless another one is named.
inline OptionSpec choice_option(std::string key, std::vector<std::string> choices, std::string help,
                                std::string value = {}) {
  if (value.empty()) value = choices.front();
  return {.key = std::move(key),
          .type = OptionSpec::Type::Choice,
          .default_value = std::move(value),
          .help = std::move(help),
          .choices = std::move(choices)};
}

inline OptionSpec flag_option(std::string key, bool value, std::string help) {
  return {std::move(key), OptionSpec::Type::Flag, value ? "true" : "false", std::move(help)};
}

}  // namespace sieve
