#include "flags.h"

#include <algorithm>
#include <utility>

#include <CLI/CLI.hpp>

#include "base/named_rows.h"
#include "data/annotations/annotation_files.h"

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

}  // namespace sieve
