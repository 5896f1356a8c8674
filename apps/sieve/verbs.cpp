#include "verbs.h"

#include <algorithm>

#include "base/named_rows.h"
#include "shared_options.h"

namespace sieve {
namespace {

#ifdef LABELSIEVE_STUDIES
#define OF_STUDIES(verb) verb
#else
#define OF_STUDIES(verb) nullptr
#endif
#ifdef LABELSIEVE_WEB
#define OF_WEB(verb) verb
#else
#define OF_WEB(verb) nullptr
#endif

// All there are; null where their part was not built.
struct Row {
  Verb (*make)();
  const char* name = "";    // where it may be missing
  const char* option = "";  // of CMake
};
constexpr Row kVerbs[] = {{inspect_verb},
                          {convert_verb},
                          {corrupt_verb},
                          {split_verb},
                          {train_verb},
                          {predict_verb},
                          {export_verb},
                          {clean_verb},
                          {annotators_verb},
                          {agree_verb},
                          {aggregate_verb},
                          {ask_verb},
                          {audit_verb},
                          {OF_WEB(open_verb), "open", "LABELSIEVE_WEB"},
                          {OF_WEB(review_verb), "review", "LABELSIEVE_WEB"},
                          {evaluate_verb},
                          {OF_STUDIES(experiment_verb), "experiment", "LABELSIEVE_STUDIES"},
                          {OF_STUDIES(compare_verb), "compare", "LABELSIEVE_STUDIES"},
                          {report_verb},
                          {info_verb},
                          {synth_verb},
                          {methods_verb},
                          {help_verb},
                          {completion_verb}};

std::vector<Verb> make_verbs() {
  std::vector<Verb> verbs;
  for (const Row& row : kVerbs)
    if (row.make != nullptr) verbs.push_back(row.make());
  const std::vector<Option> everywhere = in_group(
      "every command", {flag("json", "print one JSON object instead of text"),
                        flag("quiet", "no notes and no progress on standard error"),
                        flag("verbose", "show more while it works, such as losses"),
                        memory_option(), path("config", "read settings from this TOML file"),
                        flag("print-config", "print the effective settings as TOML and stop")});
  for (Verb& verb : verbs)
    verb.options.insert(verb.options.end(), everywhere.begin(), everywhere.end());
  return verbs;
}

}  // namespace

const std::vector<Verb>& all_verbs() {
  static const std::vector<Verb> verbs = make_verbs();
  return verbs;
}

const Verb* verb_called(const std::vector<Verb>& verbs, const std::string& name) {
  const auto found = std::ranges::find_if(verbs, [&](const Verb& verb) {
    return verb.name == name || std::ranges::find(verb.aliases, name) != verb.aliases.end();
  });
  return found == verbs.end() ? nullptr : &*found;
}

const Verb& find_verb(const std::string& name) {
  static const std::vector<std::pair<std::string, std::string>> elsewhere = {
      {"fit", "train"},     {"learn", "train"},       {"transform", "predict"},
      {"apply", "predict"}, {"denoise", "clean"},     {"score", "evaluate"},
      {"test", "evaluate"}, {"workers", "annotators"}};
  for (const auto& [word, verb] : elsewhere)
    if (word == name) throw usage_error("there is no verb '" + name + "'", "say: sieve " + verb);
  for (const Row& row : kVerbs)
    if (row.make == nullptr && row.name == name)
      throw usage_error("this sieve was built without the verb '" + name + "'",
                        std::string("build it with -D") + row.option + "=ON");
  if (const Verb* verb = verb_called(all_verbs(), name)) return *verb;
  throw no_such("verb", name, names_of(all_verbs()));
}

}  // namespace sieve
