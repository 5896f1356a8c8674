#include "verbs.h"

#include "base/named_rows.h"
#include "memory_option.h"

namespace sieve {
namespace {

std::vector<Verb> make_verbs() {
  std::vector<Verb> verbs = {inspect_verb(), convert_verb(),   corrupt_verb(),    split_verb(),
                             train_verb(),   predict_verb(),   export_verb(),     clean_verb(),
                             people_verb(),  aggregate_verb(), ask_verb(),        audit_verb(),
                             review_verb(),  evaluate_verb(),  experiment_verb(), compare_verb(),
                             report_verb(),  info_verb(),      synth_verb(),      methods_verb(),
                             help_verb(),    completion_verb()};
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

const Verb& find_verb(const std::string& name) {
  static const std::vector<std::pair<std::string, std::string>> elsewhere = {
      {"fit", "train"},     {"learn", "train"},    {"transform", "predict"}, {"apply", "predict"},
      {"denoise", "clean"}, {"score", "evaluate"}, {"test", "evaluate"},     {"workers", "people"}};
  for (const auto& [word, verb] : elsewhere)
    if (word == name) throw usage_error("there is no verb '" + name + "'", "say: sieve " + verb);
  return row_named(all_verbs(), name, "verb");
}

}  // namespace sieve
