#include "settings.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "config_file.h"

namespace sieve {
namespace {

// `below` fills in what `above` does not set.
void add_layer(const Verb& verb, Settings& above, const Settings& below) {
  above.insert(below.begin(), below.end());
  for (const Option& option : verb.options)
    if (const auto lower = below.find(option.key);
        option.type == Option::Type::Pairs && lower != below.end())
      if (std::string& value = above[option.key].value; value != lower->second.value)
        value.insert(0, lower->second.value + ",");
}

Settings environment_of(const Verb& verb) {
  Settings settings;
  for (const auto& [key, option] : names_with_earlier(verb.options)) {
    const std::string name = environment_name(key);
    const char* value = std::getenv(name.c_str());
    if (value != nullptr && *value != '\0') add_setting(settings, *option, {value, name});
  }
  return settings;
}

void check_words(const Verb& verb, const Arguments& arguments) {
  const std::vector<std::string>& words = arguments.words();
  // The items of annotations, and lines to come, can stand for the data.
  const auto is_set = [&](const char* name) {
    const auto found = arguments.values().find(name);
    return found != arguments.values().end() && !found->second.empty() && found->second != "false";
  };
  const std::size_t given = words.size() + (is_set("annotations") || is_set("stream"));
  const std::string hint =
      "usage: sieve " + verb.name + " " + verb.arguments + "\n  see: sieve help " + verb.name;
  if (given < verb.least_words)
    throw usage_error("sieve " + verb.name + " needs " +
                          (verb.arguments.starts_with('[') ? "--annotations" : verb.arguments),
                      hint);
  if (words.size() > verb.most_words)
    throw usage_error("too many arguments: '" + words[verb.most_words] + "'", hint);
}

}  // namespace

std::string environment_name(const std::string& option) {
  std::string name = "SIEVE_";
  for (const char c : option)
    name += c == '-' ? '_' : c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return name;
}

Arguments effective_arguments(const Verb& verb, ParsedFlags flags, const std::vector<Verb>& verbs) {
  Settings settings = std::move(flags.set);
  add_layer(verb, settings, environment_of(verb));
  if (const auto config = settings.find("config"); config != settings.end())
    add_layer(verb, settings, read_config(config->second.value, verb, verbs));
  Arguments arguments(verb.options, settings, std::move(flags.words));
  if (!arguments.flag("print-config")) check_words(verb, arguments);
  return arguments;
}

}  // namespace sieve
