#include "flags.h"

#include <algorithm>
#include <utility>

#include <CLI/CLI.hpp>

#include "base/named_rows.h"
#include "base/nearest.h"

namespace sieve {
namespace {

CLI::Option* add(CLI::App& app, const Option& option) {
  const std::string name = "--" + option.key;
  // Every yes-or-no flag can be taken back, so that a flag can overrule the configuration.
  return option.type == Option::Type::Flag ? app.add_flag(name + ",!--no-" + option.key)
                                           : app.add_option(name);
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
      {"output", "say --out"},
      {"verbose", "progress is shown unless --quiet says otherwise"}};
  for (const auto& [word, hint] : words)
    if (word == name) return hint;
  return {};
}

[[noreturn]] void refuse_unknown(const Verb& verb, const std::string& word) {
  const std::string help = "see: sieve help " + verb.name;
  if (!word.starts_with("-")) throw usage_error("too many arguments: '" + word + "'", help);
  const std::string flag = word.substr(0, word.find('='));
  const std::string name = flag.substr(std::min(flag.size(), flag.find_first_not_of('-')));
  const std::vector<std::string> names = names_of(verb.options, &Option::key);
  const auto meant = std::ranges::find(verb.options, nearest(name, names), &Option::key);
  if (const std::string hint = known_elsewhere(name); !hint.empty())
    throw usage_error("sieve " + verb.name + " has no flag " + flag, hint);
  throw usage_error("sieve " + verb.name + " has no flag " + flag,
                    meant == verb.options.end() ? help : "did you mean\n" + option_line(*meant, 0));
}

Setting setting_of(const Option& option, const CLI::Option& parsed) {
  const std::string flag = "--" + option.key;
  if (option.type == Option::Type::Pairs || option.type == Option::Type::List)
    return {joined(parsed.results(), ","), flag};
  if (parsed.count() > 1) throw usage_error(option, flag, "given more than once");
  const std::string value = parsed.results().empty() ? "" : parsed.results().front();
  if (is_flag_like(value)) throw usage_error(option, flag, "needs a value");
  return {value, flag};
}

}  // namespace

ParsedFlags parse_flags(const Verb& verb, const std::vector<std::string>& words) {
  CLI::App app;
  app.set_help_flag();
  ParsedFlags parsed;
  const CLI::Option* help = app.add_flag("-h,--help");
  app.add_option("words", parsed.words);
  std::vector<std::pair<const Option*, CLI::Option*>> pairs;
  for (const Option& option : verb.options) pairs.emplace_back(&option, add(app, option));
  for (const auto& [option, cli] : pairs)
    cli->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)->allow_extra_args(false);

  try {
    app.parse(std::vector<std::string>(words.rbegin(), words.rend()));
  } catch (const CLI::ExtrasError&) {
    refuse_unknown(verb, app.remaining().front());
  } catch (const CLI::ArgumentMismatch& mismatch) {
    for (const auto& [option, cli] : pairs)
      if (words.back() == "--" + option->key)
        throw usage_error(*option, words.back(), "needs a value");
    throw usage_error(mismatch.what(), "see: sieve help " + verb.name);
  } catch (const CLI::ParseError& error) {
    throw usage_error(error.what(), "see: sieve help " + verb.name);
  }
  parsed.help = help->count() != 0;
  for (const auto& [option, cli] : pairs)
    if (cli->count() != 0) parsed.set[option->key] = setting_of(*option, *cli);
  return parsed;
}

}  // namespace sieve
