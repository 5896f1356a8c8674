#include "method_choice.h"

#include <utility>

#include "base/named_rows.h"

namespace sieve {

std::vector<Option> method_options() {
  const std::vector<std::string> names = names_of(all_methods());
  Option method = choice("method", names, "learning method; see: sieve methods", names.front());
  method.meta = "NAME";
  return in_group(
      "learning",
      {std::move(method), pairs("set", "method option (repeatable); see: sieve methods NAME")});
}

const MethodInfo& chosen_method(const Arguments& arguments) {
  const std::string& name = arguments.text("method");
  return name.empty() ? all_methods().front() : method_info(name);
}

Options method_settings(const Arguments& arguments) {
  const MethodInfo& method = chosen_method(arguments);
  Options options(method.options);
  for (const auto& [key, value] : arguments.pairs("set")) try {
      options.set(key, value);
    } catch (const Error& error) {
      throw usage_error("--set: " + error.message(),
                        error.hint() + "\n  see: sieve methods " + method.name);
    }
  return options;
}

}  // namespace sieve
