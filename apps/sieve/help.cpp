#include "help.h"

#include <algorithm>

#include <fmt/format.h>

#include "verbs.h"

namespace sieve {

std::string overview() {
  std::string out =
      "sieve finds and removes wrong labels in multi-label data, and learns despite them.\n\n";
  for (const Verb& verb : all_verbs()) out += fmt::format("  {:<12}{}\n", verb.name, verb.summary);
  out +=
      "\nTry it on a made-up set:\n"
      "  sieve synth --out crowd.arff\n"
      "  sieve inspect crowd.arff\n"
      "  sieve split crowd.arff --out parts/\n"
      "  sieve train parts/train.arff --out crowd.model\n"
      "  sieve predict crowd.model parts/test.arff --kind top\n"
      "\n"
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
