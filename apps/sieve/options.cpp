#include "options.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

namespace sieve {
namespace {

using Type = OptionSpec::Type;

// Limits that only keep numbers from running over are of no use to a reader.
std::string range_shown(Option option) {
  constexpr double kTooLarge = 1e9, kNone = std::numeric_limits<double>::infinity();
  if (option.high >= kTooLarge) option.high = kNone;
  if (option.low <= -kTooLarge) option.low = -kNone;
  return range_of(option);
}

}  // namespace

Option flag(std::string name, std::string help) {
  return OptionSpec{std::move(name), Type::Flag, {}, std::move(help)};
}

Option text(std::string name, std::string meta, std::string help, std::string default_value) {
  return OptionSpec{.key = std::move(name),
                    .type = Type::Text,
                    .default_value = std::move(default_value),
                    .help = std::move(help),
                    .meta = std::move(meta)};
}

Option path(std::string name, std::string help) {
  return OptionSpec{std::move(name), Type::Path, {}, std::move(help)};
}

Option choice(std::string name, std::vector<std::string> choices, std::string help,
              std::string default_value) {
  return OptionSpec{.key = std::move(name),
                    .type = Type::Choice,
                    .default_value = std::move(default_value),
                    .help = std::move(help),
                    .choices = std::move(choices)};
}

Option integer(std::string name, std::string help, double low, double high,
               std::string default_value) {
  return OptionSpec{std::move(name), Type::Integer, std::move(default_value),
                    std::move(help), low,           high};
}

Option real(std::string name, std::string help, double low, double high,
            std::string default_value) {
  return OptionSpec{std::move(name), Type::Real, std::move(default_value),
                    std::move(help), low,        high};
}

Option list(std::string name, std::string meta, std::string help) {
  return OptionSpec{
      .key = std::move(name), .type = Type::List, .help = std::move(help), .meta = std::move(meta)};
}

Option pairs(std::string name, std::string help) {
  return OptionSpec{std::move(name), Type::Pairs, {}, std::move(help)};
}

Option seed_option() {
  return integer("seed", "random seed", 0, INFINITY, "1");
}

std::vector<Option> in_group(std::string group, std::vector<Option> options) {
  for (Option& option : options) option.group = group;
  return options;
}

Option renamed(Option option, std::string earlier) {
  option.aliases.push_back(std::move(earlier));
  return option;
}

Arguments::Arguments(const std::vector<Option>& options, const Settings& settings,
                     std::vector<std::string> words)
    : Options({options.begin(), options.end()}), words_(std::move(words)) {
  for (const Option& option : options)
    if (const auto found = settings.find(option.key); found != settings.end()) {
      const auto& [value, source] = found->second;
      const std::string problem = checked(option, value).problem;
      if (!problem.empty()) throw usage_error(option, source, problem);
      set(option.key, value);
    }
}

std::vector<std::string> Arguments::list(const std::string& name) const {
  return split_list(text(name), ',');
}

std::vector<std::pair<std::string, std::string>> Arguments::pairs(const std::string& name) const {
  std::vector<std::pair<std::string, std::string>> found;
  for (const std::string& item : list(name)) {
    const std::size_t equals = item.find('=');
    if (equals == std::string::npos)
      throw usage_error(spec(name), "--" + name, "'" + item + "' is not key=value");
    found.emplace_back(item.substr(0, equals), item.substr(equals + 1));
  }
  return found;
}

char Arguments::character(const std::string& name) const {
  const std::string& word = text(name);
  if (word.empty()) return 0;
  if (word == "tab" || word == "\\t") return '\t';
  if (word.size() == 1) return word[0];
  throw usage_error(spec(name), "--" + name,
                    "'" + word + "' is not one character, nor the word tab");
}

std::vector<OptionGroup> option_groups(const Verb& verb) {
  std::vector<OptionGroup> groups{{}};
  for (const Option& option : verb.options) {
    auto group = std::ranges::find(groups, option.group, &OptionGroup::name);
    if (group == groups.end()) group = groups.insert(group, {option.group, {}});
    // What most people give comes first.
    const bool first = option.key == "annotations" && option.group.empty();
    group->options.insert(first ? group->options.begin() : group->options.end(), &option);
  }
  return groups;
}

std::vector<OptionName> names_with_earlier(const std::vector<Option>& options) {
  std::vector<OptionName> names;
  for (const Option& option : options) {
    names.push_back({option.key, &option});
    for (const std::string& earlier : option.aliases) names.push_back({earlier, &option});
  }
  return names;
}

void add_setting(Settings& layer, const Option& option, Setting setting) {
  const auto [there, added] = layer.try_emplace(option.key, setting);
  if (!added)
    throw usage_error(option, there->second.source + " and " + setting.source,
                      "two names of one setting; give one of them");
}

Error usage_error(const Option& option, const std::string& source, const std::string& problem) {
  return {Failure::Usage, source + ": " + problem, {}, option_line(option).substr(2)};
}

Error usage_error(const std::string& problem, const std::string& hint) {
  return {Failure::Usage, problem, {}, hint};
}

std::string meta_of(const Option& option) {
  if (!option.meta.empty()) return option.meta;
  switch (option.type) {
    case Type::Integer:
      return "N";
    case Type::Real:
      return "X";
    case Type::Choice:
      return joined(option.choices, "|");
    case Type::Path:
      return "FILE";
    case Type::Pairs:
      return "KEY=VALUE";
    default:
      return {};
  }
}

std::string description_of(const Option& option) {
  const std::string range = range_shown(option);
  const std::string standard =
      option.default_value.empty() ? "" : "default " + option.default_value;
  if (range.empty() && standard.empty()) return option.help;
  return option.help + " (" + range + (range.empty() || standard.empty() ? "" : ", ") + standard +
         ")";
}

std::string option_line(const Option& option) {
  const std::string meta = meta_of(option);
  return "  --" + option.key + (meta.empty() ? "" : " ") + meta + "  " + description_of(option);
}

std::vector<std::string> split_list(const std::string& text, char separator) {
  std::vector<std::string> parts;
  if (text.empty()) return parts;
  std::size_t from = 0;
  for (std::size_t to = 0; (to = text.find(separator, from)) != std::string::npos; from = to + 1)
    parts.push_back(text.substr(from, to - from));
  parts.push_back(text.substr(from));
  return parts;
}

std::string joined(const std::vector<std::string>& words, const std::string& between) {
  return fmt::format("{}", fmt::join(words, between));
}

}  // namespace sieve
