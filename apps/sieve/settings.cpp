#include "settings.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "base/named_rows.h"
#include "base/toml.h"
#include "data/annotations/annotation_files.h"
#include "verbs.h"

namespace sieve {
namespace {

CLI::Option* add(CLI::App& app, const OptionName& named) {
  const std::string flag = "--" + named.name;
  // Every yes-or-no flag can be taken back, so that a flag can overrule the configuration.
  return named.option->type == Option::Type::Flag ? app.add_flag(flag + ",!--no-" + named.name)
                                                  : app.add_option(flag);
}

// CLI11 takes whatever follows for the value, even the next flag.
bool is_flag_like(const std::string& value) {
  return value.size() > 2 && value.starts_with("--");
}

// What other programs call it, and how it is said here.
std::string known_elsewhere(const std::string& name) {
  static const std::vector<std::pair<std::string, std::string>> words = {
      {"epochs", "say --set epochs=10"},
      {"batch-size", "say --set batch=64; see: sieve methods NAME"},
      {"learning-rate", "say --set learning-rate=0.001; see: sieve methods NAME"},
      {"proba", "scores are probabilities already: --kind scores, which is the default"},
      {"output", "say --out"}};
  for (const auto& [word, hint] : words)
    if (word == name) return hint;
  return {};
}

std::vector<std::string> keys_of(const std::vector<Option>& options) {
  std::vector<std::string> keys;
  for (const Option& option : options) keys.push_back(option.key);
  return keys;
}

[[noreturn]] void refuse_unknown(const Verb& verb, const std::string& word) {
  const std::string help = "see: sieve help " + verb.name;
  if (!word.starts_with("-")) throw usage_error("too many arguments: '" + word + "'", help);
  const std::string flag = word.substr(0, word.find('='));
  const std::string name = flag.substr(std::min(flag.size(), flag.find_first_not_of('-')));
  const std::vector<std::string> names = keys_of(verb.options);
  const auto meant = std::ranges::find(verb.options, nearest(name, names), &Option::key);
  if (const std::string hint = known_elsewhere(name); !hint.empty())
    throw usage_error("sieve " + verb.name + " has no flag " + flag, hint);
  throw usage_error("sieve " + verb.name + " has no flag " + flag,
                    meant == verb.options.end() ? help : "did you mean\n" + option_line(*meant));
}

Setting setting_of(const OptionName& named, const CLI::Option& parsed) {
  const Option& option = *named.option;
  const std::string flag = "--" + named.name;
  if (option.type == Option::Type::Pairs || option.type == Option::Type::List)
    return {joined(parsed.results(), ","), flag};
  if (parsed.count() > 1) throw usage_error(option, flag, "given more than once");
  const std::string value = parsed.results().empty() ? "" : parsed.results().front();
  if (is_flag_like(value)) throw usage_error(option, flag, "needs a value");
  return {value, flag};
}

// The shell makes several words of --annotations batches/*.csv: those that are parts of the same
// export as the first are annotations, too.
std::vector<std::string> with_all_annotations(const std::vector<std::string>& words) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < words.size(); ++i) {
    out.push_back(words[i]);
    if ((words[i] != "--annotations" && words[i] != "--ticks") || i + 1 == words.size()) continue;
    const std::string flag = words[i], first = words[++i];
    out.push_back(first);
    while (i + 1 < words.size() && !words[i + 1].starts_with("-") &&
           are_parts_of_one_export(first, words[i + 1]))
      out.insert(out.end(), {flag, words[++i]});
  }
  return out;
}

bool reads_annotations(const Verb& verb) {
  const auto found = std::ranges::find(verb.options, "annotations", &Option::key);
  return found != verb.options.end() && found->type == Option::Type::List;
}

}  // namespace

ParsedFlags parse_flags(const Verb& verb, const std::vector<std::string>& given) {
  const std::vector<std::string> words =
      reads_annotations(verb) ? with_all_annotations(given) : given;
  CLI::App app;
  app.set_help_flag();
  ParsedFlags parsed;
  const CLI::Option* help = app.add_flag("-h,--help");
  app.add_option("words", parsed.words);
  std::vector<std::pair<OptionName, CLI::Option*>> pairs;
  for (const OptionName& named : names_with_earlier(verb.options))
    pairs.emplace_back(named, add(app, named));
  for (const auto& [named, cli] : pairs)
    cli->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)->allow_extra_args(false);

  try {
    app.parse(std::vector<std::string>(words.rbegin(), words.rend()));
  } catch (const CLI::ExtrasError&) {
    refuse_unknown(verb, app.remaining().front());
  } catch (const CLI::ArgumentMismatch& mismatch) {
    for (const auto& [named, cli] : pairs)
      if (words.back() == "--" + named.name)
        throw usage_error(*named.option, words.back(), "needs a value");
    throw usage_error(mismatch.what(), "see: sieve help " + verb.name);
  } catch (const CLI::ParseError& error) {
    throw usage_error(error.what(), "see: sieve help " + verb.name);
  }
  parsed.help = help->count() != 0;
  for (const auto& [named, cli] : pairs)
    if (cli->count() != 0) add_setting(parsed.set, *named.option, setting_of(named, *cli));
  return parsed;
}

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
