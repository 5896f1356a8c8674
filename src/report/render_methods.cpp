#include <fmt/format.h>

#include "base/table.h"
#include "labelsieve/learner.h"
#include "report/rendered.h"

namespace sieve {
namespace {

std::string values_of(const OptionSpec& option) {
  switch (option.type) {
    case OptionSpec::Type::Flag:
      return "true, false";
    case OptionSpec::Type::Choice:
      return fmt::format("{}", fmt::join(option.choices, ", "));
    default:
      return range_of(option) + (option.can_be_auto ? ", auto" : "");
  }
}

Json option_json(const OptionSpec& option) {
  Json::Members members = {{"key", option.key},
                           {"type", to_string(option.type)},
                           {"default", option.default_value},
                           {"help", option.help}};
  if (option.type == OptionSpec::Type::Choice)
    members.emplace_back("choices", json_strings(option.choices));
  if (option.type == OptionSpec::Type::Integer || option.type == OptionSpec::Type::Real) {
    members.emplace_back("low", option.low);
    members.emplace_back("high", option.high);
    members.emplace_back("can_be_auto", option.can_be_auto);
  }
  return Json::object(members);
}

Json method_json(const MethodInfo& method) {
  std::vector<Json> options;
  for (const OptionSpec& option : method.options) options.push_back(option_json(option));
  return Json::object({{"name", method.name},
                       {"title", method.title},
                       {"summary", method.summary},
                       {"oracle", method.oracle},
                       {"options", Json::array(options)}});
}

}  // namespace

Rendered render_method(const MethodInfo& method) {
  TextTable table({"key", "type", "values", "default", "meaning"});
  for (const OptionSpec& option : method.options)
    table.add(
        {option.key, to_string(option.type), values_of(option), option.default_value, option.help});
  return {fmt::format("{}: {}\n\n", method.title, method.summary) + table.text(),
          method_json(method)};
}

Rendered render_methods() {
  TextTable table({"method", "what it is"});
  std::vector<Json> methods;
  for (const MethodInfo& method : all_methods()) {
    table.add({method.name, method.summary});
    methods.push_back(method_json(method));
  }
  return {table.text(), Json::object({{"methods", Json::array(methods)}})};
}

}  // namespace sieve
