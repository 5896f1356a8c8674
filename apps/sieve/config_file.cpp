#include "config_file.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/named_rows.h"
#include "base/toml.h"
#include "verbs.h"

namespace sieve {
namespace {

// Flags that tell where the configuration comes from or goes to are not part of it.
constexpr std::array<std::string_view, 2> kNotInConfig = {"config", "print-config"};

bool in_config(const Option& option) {
  return std::ranges::find(kNotInConfig, option.key) == kNotInConfig.end();
}

std::string text_of(const Toml& value) {
  using Kind = Toml::Kind;
  if (value.kind == Kind::Other || value.kind == Kind::Table)
    throw Error(Failure::Usage, "neither text, number, true, false nor a list of them",
                value.where);
  if (value.kind != Kind::List) return value.text;
  std::vector<std::string> parts;
  for (const Toml& item : value.items) {
    if (item.kind == Kind::List)
      throw Error(Failure::Usage, "a list inside a list is not allowed here", value.where);
    parts.push_back(text_of(item));
  }
  return joined(parts, ",");
}

std::string pairs_of(const Toml& table) {
  std::vector<std::string> parts;
  for (const auto& [key, value] : table.members) parts.push_back(key + "=" + text_of(value));
  return joined(parts, ",");
}

Settings settings_of(const Toml& table, const Verb& verb) {
  std::vector<std::string> names;
  for (const Option& option : verb.options)
    if (in_config(option)) names.push_back(option.key);
  const std::vector<OptionName> known = names_with_earlier(verb.options);
  Settings settings;
  for (const auto& [name, value] : table.members) {
    const auto found = std::ranges::find(known, name, &OptionName::name);
    if (found == known.end() || !in_config(*found->option))
      throw Error(Failure::Usage, "[" + verb.name + "] has no key '" + name + "'", value.where,
                  did_you_mean(name, names, "see: sieve help " + verb.name));
    const Option& option = *found->option;
    const bool pairs = option.type == Option::Type::Pairs && value.kind == Toml::Kind::Table;
    add_setting(settings, option,
                {pairs ? pairs_of(value) : text_of(value), to_string(value.where) + ": " + name});
  }
  return settings;
}

std::string toml_value(const Option& option, const std::string& value) {
  const bool bare = option.type == Option::Type::Flag || option.type == Option::Type::Integer ||
                    option.type == Option::Type::Real;
  return bare && value != "auto" ? value : toml_quoted(value);
}

}  // namespace

Settings read_config(const std::string& path, const Verb& verb, const std::vector<Verb>& verbs) {
  const std::vector<std::string> names = names_of(verbs);
  Settings wanted;
  const Toml content =
      read_toml(path, "configuration files are TOML, e.g. [corrupt] and below it: average = 4");
  for (const auto& [name, value] : content.members) {
    const Verb* owner = verb_called(verbs, name);
    if (owner == nullptr)
      throw Error(Failure::Usage, "no verb is called '" + name + "'", value.where,
                  did_you_mean(name, names, "the tables are: " + joined(names, ", ")));
    if (value.kind != Toml::Kind::Table)
      throw Error(Failure::Usage, "'" + name + "' must be a table", value.where,
                  "write [" + name + "] on a line and the keys below it");
    Settings settings = settings_of(value, *owner);
    if (owner->name != verb.name) continue;
    if (!wanted.empty())
      throw Error(Failure::Usage, "[" + name + "] is another name of a table that is there already",
                  value.where, "put all keys below [" + verb.name + "]");
    wanted = std::move(settings);
  }
  return wanted;
}

std::string config_text(const Verb& verb, const Arguments& arguments) {
  std::string out = "[" + verb.name + "]\n";
  for (const Option& option : verb.options) {
    if (!in_config(option)) continue;
    const std::string& value = arguments.text(option.key);
    const bool off = value.empty() && option.type == Option::Type::Flag;
    if (value.empty() && !off) continue;
    out += option.key + " = " + (off ? "false" : toml_value(option, value)) + "\n";
  }
  return out;
}

}  // namespace sieve
