#include "help.h"

#include <algorithm>

#include <fmt/format.h>

#include "verbs.h"

namespace sieve {
namespace {

// What most people begin with, as far as it was built.
std::vector<std::pair<std::string, std::string>> first_steps() {
  std::vector<std::pair<std::string, std::string>> steps = {
      {"sieve open crowd.csv", "all of it, on one page"},
      {"sieve clean crowd.csv", "which labels are wrong?"},
      {"sieve audit crowd.csv --decisions d.db", "measure it: 120 decisions"},
      {"sieve review crowd.csv --decisions d.db", "decide by hand"},
      {"sieve train crowd.csv --out crowd.model", "learn despite wrong labels"}};
  std::erase_if(steps, [](const auto& step) {
    const std::string& command = step.first;
    return verb_called(all_verbs(), split_list(command, ' ')[1]) == nullptr;
  });
  return steps;
}

}  // namespace

std::string overview() {
  std::string out =
      "sieve finds and removes wrong labels in multi-label data, and learns despite them.\n\n";
  for (const auto& [command, words] : first_steps())
    out += fmt::format("  {:<42}{}\n", command, words);
  out += "\nAll verbs\n";
  for (const Verb& verb : all_verbs()) out += fmt::format("  {:<12}{}\n", verb.name, verb.summary);
  out +=
      "\nTry it on a made-up set: sieve synth --out crowd.csv --annotations votes.csv\n"
      "sieve help VERB explains a verb and its flags; sieve --version prints the version.\n";
  return out;
}

std::string help_of(const Verb& verb) {
  constexpr std::size_t kWidest = 30;  // wider flags push their description to the right
  std::size_t column = 0;
  for (const Option& option : verb.options)
    column = std::max(column, std::min(kWidest, option.key.size() + meta_of(option).size() + 7));

  std::string out = fmt::format("sieve {}{}{} [flags]\n{}\n", verb.name,
                                verb.arguments.empty() ? "" : " ", verb.arguments, verb.summary);
  if (!verb.details.empty()) out += "\n" + verb.details + "\n";
  out += "\nflags\n";
  for (const Option& option : verb.options) out += option_line(option, column) + "\n";
  out +=
      "\nEvery yes-or-no flag has a --no- form. Each flag can also be set by the environment\n"
      "variable SIEVE_<FLAG>, or by its name in the verb's table of a --config file.\n";
  return out + "\nexample\n  " + verb.example + "\n";
}

}  // namespace sieve
