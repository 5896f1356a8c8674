#pragma once

#include <string>
#include <vector>

#include "options.h"

namespace sieve {

// Each verb in its own file cmd_<verb>.cpp: its table of options and what it does.
Verb inspect_verb();
Verb convert_verb();
Verb corrupt_verb();
Verb split_verb();
Verb train_verb();
Verb predict_verb();
Verb export_verb();
Verb clean_verb();
Verb annotators_verb();
Verb agree_verb();
Verb aggregate_verb();
Verb ask_verb();
Verb audit_verb();
Verb open_verb();
Verb review_verb();
Verb evaluate_verb();
Verb report_verb();
Verb info_verb();
Verb experiment_verb();
Verb compare_verb();
Verb synth_verb();
Verb methods_verb();
Verb help_verb();
Verb completion_verb();

// All of them in the order the help shows, with the flags that every verb has.
const std::vector<Verb>& all_verbs();
// The verb of that name or earlier name; null if there is none.
const Verb* verb_called(const std::vector<Verb>& verbs, const std::string& name);
// Error(Usage) with the nearest name if there is none.
const Verb& find_verb(const std::string& name);

}  // namespace sieve
