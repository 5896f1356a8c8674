#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/json.h"
#include "labelsieve/error.h"
#include "labelsieve/options.h"

// The one table of options a verb has. From it come the flags, the environment variables, the keys
// of the configuration file, the help and the shell completions.
namespace sieve {

// With the key "label-prefix" it is the flag --label-prefix and the variable SIEVE_LABEL_PREFIX.
// Pairs may be a table in the configuration file.
struct Option : OptionSpec {
  Option(OptionSpec spec) : OptionSpec(std::move(spec)) {}
  std::string group{};  // the heading in the help; "" comes first
};

Option flag(std::string name, std::string help);
Option text(std::string name, std::string meta, std::string help, std::string default_value = {});
Option path(std::string name, std::string help);
Option choice(std::string name, std::vector<std::string> choices, std::string help,
              std::string default_value = {});
Option integer(std::string name, std::string help, double low, double high,
               std::string default_value = {});
Option real(std::string name, std::string help, double low, double high,
            std::string default_value = {});
Option list(std::string name, std::string meta, std::string help);
Option pairs(std::string name, std::string help);
Option seed_option();
// The options under a heading of the help.
std::vector<Option> in_group(std::string group, std::vector<Option> options);
// The option under its new name: the earlier one is still read.
Option renamed(Option option, std::string earlier);

// One value that was set, and where: "--seed", "SIEVE_SEED" or "run.toml:3: seed".
struct Setting {
  std::string value;
  std::string source;
};
using Settings = std::map<std::string, Setting>;

// What a verb was asked to do: every value is checked against its option already.
class Arguments : public Options {
 public:
  Arguments(const std::vector<Option>& options, const Settings& settings,
            std::vector<std::string> words);

  // The arguments that are not flags.
  const std::vector<std::string>& words() const { return words_; }
  // Set to something else than the default.
  bool given(const std::string& name) const { return text(name) != spec(name).default_value; }
  std::vector<std::string> list(const std::string& name) const;  // cut at commas
  // The settings of pairs in order; Error(Usage) if one has no "=".
  std::vector<std::pair<std::string, std::string>> pairs(const std::string& name) const;
  // One character, or the word "tab"; 0 when not set.
  char character(const std::string& name) const;

 private:
  std::vector<std::string> words_;
};

// What a verb has to tell: `text` for people or `json` for machines goes to standard output; notes
// and failed checks go to standard error.
struct Report {
  std::string text{};
  Json json{};
  std::vector<std::string> notes{};
  std::vector<std::string> failed_checks{};  // any of them makes the exit code `failed_as`
  Failure failed_as = Failure::Check;
  bool silent = false;  // a rank that worked for rank 0, which tells it all
};

struct Verb {
  std::string name{};
  std::string summary{};    // one line
  std::string arguments{};  // "IN... OUT", as the help shows it
  std::size_t least_words = 0, most_words = 0;
  std::vector<Option> options{};
  std::string details{};  // more help, may be empty
  std::string example{};
  Report (*run)(const Arguments&) = nullptr;
  std::vector<std::string> aliases{};  // earlier names, which are still understood
};

// The options of a verb under their headings: first those without, which are its own.
struct OptionGroup {
  std::string name;
  std::vector<const Option*> options;
};
std::vector<OptionGroup> option_groups(const Verb& verb);

// A name of an option as a layer of settings has it, and the option.
struct OptionName {
  std::string name;
  const Option* option;
};
// Of every option its name, then its earlier ones.
std::vector<OptionName> names_with_earlier(const std::vector<Option>& options);
// Adds a setting of a layer. Error(Usage) if it is there under another name already.
void add_setting(Settings& layer, const Option& option, Setting setting);

// Error(Usage) that ends with the help of the one option that was wrong.
Error usage_error(const Option& option, const std::string& source, const std::string& problem);
Error usage_error(const std::string& problem, const std::string& hint = {});

// What stands for the value in the help: "N" of a whole number.
std::string meta_of(const Option& option);
// "random seed (default 1)"
std::string description_of(const Option& option);
// "  --seed N  random seed (default 1)"
std::string option_line(const Option& option);

std::vector<std::string> split_list(const std::string& text, char separator);
std::string joined(const std::vector<std::string>& words, const std::string& between);

}  // namespace sieve
