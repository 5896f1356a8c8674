#include "base/option_specs.h"

#include <utility>

namespace sieve {
namespace {

using Type = OptionSpec::Type;

}  // namespace

OptionSpec real_option(std::string key, std::string value, std::string help, double low,
                       double high) {
  const bool can_be_auto = value == "auto";
  return {std::move(key), Type::Real, std::move(value), std::move(help), low,
          high,           {},         can_be_auto};
}

OptionSpec integer_option(std::string key, std::string value, std::string help, double low,
                          double high) {
  OptionSpec option = real_option(std::move(key), std::move(value), std::move(help), low, high);
  option.type = Type::Integer;
  return option;
}

OptionSpec choice_option(std::string key, std::vector<std::string> choices, std::string help,
                         std::string value) {
  if (value.empty()) value = choices.front();
  return {.key = std::move(key),
          .type = Type::Choice,
          .default_value = std::move(value),
          .help = std::move(help),
          .choices = std::move(choices)};
}

OptionSpec flag_option(std::string key, bool value, std::string help) {
  return {std::move(key), Type::Flag, value ? "true" : "false", std::move(help)};
}

}  // namespace sieve
