#include "flag_names.h"

#include <algorithm>
#include <utility>

#include "data/read_settings.h"
#include "verbs.h"

namespace sieve {
std::string shell_word(const std::string& word) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./,:=@%+";
  if (!word.empty() && word.find_first_not_of(kPlain) == word.npos) return word;
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

namespace {

std::vector<std::string>& typed_words() {
  static std::vector<std::string> words;
  return words;
}

// Takes a flag and its value out of a command line.
void take_out(std::vector<std::string>& words, const std::string& flag, bool has_value) {
  std::erase_if(words, [&](const std::string& word) { return word.starts_with(flag + "="); });
  const auto at = std::ranges::find(words, flag);
  if (at == words.end()) return;
  const std::ptrdiff_t given = has_value && at + 1 != words.end() ? 2 : 1;
  words.erase(at, at + given);
}

const char* row_of(const std::string& name) {
  const auto found = std::ranges::find(word_table(), name, &WordRow::term);
  return found == word_table().end() ? nullptr : found->words;
}

// A setting of reading is its flag.
std::string flag_words(const ReadSetting& row, const std::string& value) {
  const bool yes_or_no = row.option.type == Option::Type::Flag;
  if (yes_or_no && value == "true") return "--" + row.option.key;
  if (yes_or_no && value == "false") return "--no-" + row.option.key;
  return "--" + row.option.key + (value.empty() ? "" : " " + shell_word(value));
}

}  // namespace

const std::vector<WordRow>& word_table() {
  static const std::vector<WordRow> table = {
      {"EpochLog", "sieve train --log"},
      {"Learner::fit", "sieve train"},
      {"Model::state", "sieve info"},
      {"WriteOptions::format", "--to"},
      {"clean", "sieve clean"},
      {"if_exists=replace", "--force"},
      {"if_other=extend", "--extend"},
      {"jobs", "--jobs"},
      {"kind", "--kind"},
      {"labels", "--labels"},
      {"log", "--log"},
      {"measures", "--measures"},
      {"only", "--only"},
      {"per_label", "--per-label"},
      {"resume_from", "--resume"},
      {"rows", "--ask-about rows"},
      {"run_experiment", "sieve experiment"},
      {"store", "--store"},
      {"test", "--test"},
  };
  return table;
}

std::string command_words(const Term& term) {
  const std::string name(term.name), value(term.value);
  const auto read = std::ranges::find(read_setting_table(), name, &ReadSetting::term);
  if (read != read_setting_table().end()) return flag_words(*read, value);
  if (const char* words = row_of(name + "=" + value)) return words;
  const char* words = row_of(name);
  return (words != nullptr ? words : name) + (value.empty() ? "" : " ") + value;
}

void remember_command(std::vector<std::string> words) {
  typed_words() = std::move(words);
}

std::string command_again(std::span<const Term> settings) {
  std::vector<std::string> words = typed_words(), added;
  if (words.empty()) return {};
  const Verb* verb = verb_called(all_verbs(), words.front());
  if (verb == nullptr) return {};
  for (const auto& [name, value] : settings) {
    const std::string flag = command_words({name, {}});
    if (!flag.starts_with("--")) return {};
    const auto option = std::ranges::find(verb->options, flag.substr(2), &Option::key);
    if (option == verb->options.end()) return {};
    const bool has_value = option->type != Option::Type::Flag;
    // Lists grow.
    if (option->type != Option::Type::List) {
      take_out(words, flag, has_value);
      for (const std::string& earlier : option->aliases) take_out(words, "--" + earlier, has_value);
    }
    added.push_back(flag);
    if (has_value) added.emplace_back(value);
  }
  words.insert(std::ranges::find(words, "--"), added.begin(), added.end());
  std::string line = "sieve";
  for (const std::string& word : words) line += " " + shell_word(word);
  return line;
}

}  // namespace sieve
