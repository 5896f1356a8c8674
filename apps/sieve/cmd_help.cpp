#include <unistd.h>

#include <fmt/format.h>

#include "help.h"
#include "terminal.h"
#include "verbs.h"

namespace sieve {
namespace {

Json option_json(const Option& option) {
  Json::Members members = {{"name", option.key}, {"kind", to_string(option.type)}};
  if (!option.choices.empty()) members.emplace_back("choices", json_strings(option.choices));
  if (!option.default_value.empty()) members.emplace_back("default", option.default_value);
  members.emplace_back("help", option.help);
  return Json::object(members);
}

Json verb_json(const Verb& verb) {
  std::vector<Json> options;
  for (const Option& option : verb.options) options.push_back(option_json(option));
  return Json::object({{"verb", verb.name},
                       {"summary", verb.summary},
                       {"arguments", verb.arguments},
                       {"example", verb.example},
                       {"options", Json::array(options)}});
}

Report run(const Arguments& arguments) {
  const std::size_t width = terminal_width(STDOUT_FILENO);
  if (!arguments.words().empty()) {
    const Verb& verb = find_verb(arguments.words().front());
    return {.text = arguments.flag("man") ? manual_of(verb) : help_of(verb, width),
            .json = verb_json(verb)};
  }
  std::vector<Json> verbs;
  for (const Verb& verb : all_verbs()) verbs.push_back(verb_json(verb));
  return {.text = arguments.flag("man") ? manual(all_verbs()) : overview(width),
          .json = Json::object({{"verbs", Json::array(verbs)}})};
}

}  // namespace

Verb help_verb() {
  return {.name = "help",
          .summary = "explain a verb and its flags",
          .arguments = "[VERB]",
          .most_words = 1,
          .options = {flag("man", "print a manual page (roff), as in: man -l <(sieve help --man)")},
          .example = "sieve help evaluate",
          .run = run};
}

}  // namespace sieve
