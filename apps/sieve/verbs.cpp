#include "verbs.h"

#include <algorithm>

#include "base/named_rows.h"
#include "memory_option.h"

namespace sieve {
namespace {

std::vector<Verb> make_verbs() {
  std::vector<Verb> verbs = {inspect_verb(),    convert_verb(),   corrupt_verb(),    split_verb(),
                             train_verb(),      predict_verb(),   export_verb(),     clean_verb(),
                             annotators_verb(), agree_verb(),     aggregate_verb(),  ask_verb(),
                             review_verb(),     evaluate_verb(),  experiment_verb(), compare_verb(),
                             report_verb(),     info_verb(),      synth_verb(),      methods_verb(),
                             help_verb(),       completion_verb()};
  for (Verb& verb : verbs)
    verb.options.insert(verb.options.end(),
                        {flag("json", "print one JSON object instead of text"),
                         flag("quiet", "no notes and no progress on standard error"),
                         memory_option(), path("config", "read settings from this TOML file"),
                         flag("print-config", "print the effective settings as TOML and stop")});
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
  if (const Verb* verb = verb_called(all_verbs(), name)) return *verb;
  throw no_such("verb", name, names_of(all_verbs()));
}

}  // namespace sieve
