#include "config_file.h"

#include <algorithm>
#include <array>
#include <sstream>
#include <string_view>

#include <fmt/format.h>
#include <toml++/toml.h>

#include "base/nearest.h"
#include "labelsieve/files.h"

namespace sieve {
namespace {

// Also bounds how deep dotted keys can nest: the parser limits nested values but not those.
constexpr std::uint64_t kLargestConfig = 1U << 14;

// Flags that tell where the configuration comes from or goes to are not part of it.
constexpr std::array<std::string_view, 2> kNotInConfig = {"config", "print-config"};

bool in_config(const Option& option) {
  return std::ranges::find(kNotInConfig, option.name) == kNotInConfig.end();
}

Place place_of(const std::string& path, const toml::source_region& source) {
  return {path, source.begin.line, source.begin.column};
}

toml::table parse(const std::string& path) {
  const auto in = open_unpacked(FileSystem::real(), path);
  const std::string content = read_all(*in, kLargestConfig, path);
  try {
    return toml::parse(content, path);
  } catch (const toml::parse_error& error) {
    throw Error(Failure::Usage, std::string(error.description()), place_of(path, error.source()),
                "configuration files are TOML, e.g. [corrupt] and below it: average = 4");
  }
}

std::string text_of(const toml::node& node, const Place& where) {
  if (const auto* value = node.as_string()) return value->get();
  if (const auto* value = node.as_integer()) return std::to_string(value->get());
  if (const auto* value = node.as_floating_point()) return fmt::format("{}", value->get());
  if (const auto* value = node.as_boolean()) return value->get() ? "true" : "false";
  const auto* array = node.as_array();
  if (array == nullptr)
    throw Error(Failure::Usage, "neither text, number, true, false nor a list of them", where);
  std::vector<std::string> parts;
  for (const toml::node& item : *array) {
    if (item.is_array())
      throw Error(Failure::Usage, "a list inside a list means nothing here", where);
    parts.push_back(text_of(item, where));
  }
  return joined(parts, ",");
}

std::string pairs_of(const toml::table& table, const Place& where) {
  std::vector<std::string> parts;
  for (const auto& [key, node] : table)
    parts.push_back(std::string(key.str()) + "=" + text_of(node, where));
  return joined(parts, ",");
}

Settings settings_of(const toml::table& table, const std::string& path, const Verb& verb) {
  std::vector<std::string> names;
  for (const Option& option : verb.options)
    if (in_config(option)) names.push_back(option.name);
  Settings settings;
  for (const auto& [key, node] : table) {
    const std::string name(key.str());
    const Place where = place_of(path, key.source());
    if (std::ranges::find(names, name) == names.end())
      throw Error(Failure::Usage, "[" + verb.name + "] has no key '" + name + "'", where,
                  did_you_mean(name, names, "see: sieve help " + verb.name));
    const auto& option = *std::ranges::find(verb.options, name, &Option::name);
    const bool pairs = option.kind == Kind::Pairs && node.is_table();
    settings[name] = {pairs ? pairs_of(*node.as_table(), where) : text_of(node, where),
                      to_string(where) + ": " + name};
  }
  return settings;
}

std::string toml_value(const Option& option, const std::string& value) {
  if (option.kind != Kind::Flag && option.kind != Kind::Integer && option.kind != Kind::Real) {
    std::ostringstream out;
    out << toml::value<std::string>(value);
    return out.str();
  }
  return value;
}

}  // namespace

Settings read_config(const std::string& path, const Verb& verb, const std::vector<Verb>& verbs) {
  std::vector<std::string> names;
  for (const Verb& each : verbs) names.push_back(each.name);
  Settings wanted;
  for (const toml::table content = parse(path); const auto& [key, node] : content) {
    const std::string name(key.str());
    const Place where = place_of(path, key.source());
    const auto owner = std::ranges::find(verbs, name, &Verb::name);
    if (owner == verbs.end())
      throw Error(Failure::Usage, "no verb is called '" + name + "'", where,
                  did_you_mean(name, names, "the tables are: " + joined(names, ", ")));
    if (!node.is_table())
      throw Error(Failure::Usage, "'" + name + "' must be a table", where,
                  "write [" + name + "] on a line and the keys below it");
    Settings settings = settings_of(*node.as_table(), path, *owner);
    if (name == verb.name) wanted = std::move(settings);
  }
  return wanted;
}

std::string config_text(const Verb& verb, const Arguments& arguments) {
  std::string out = "[" + verb.name + "]\n";
  for (const Option& option : verb.options) {
    if (!in_config(option)) continue;
    const std::string& value = arguments.text(option.name);
    const bool off = value.empty() && option.kind == Kind::Flag;
    if (value.empty() && !off) continue;
    out += option.name + " = " + (off ? "false" : toml_value(option, value)) + "\n";
  }
  return out;
}

}  // namespace sieve
