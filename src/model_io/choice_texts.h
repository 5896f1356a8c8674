#pragma once

#include <nlohmann/json.hpp>

#include "labelsieve/learner.h"

// Choices as a model file keeps them: see docs/formats/model.md.
namespace sieve {

// Of the model and of its parts.
nlohmann::ordered_json choices_json(const ModelState& state);
// Takes them back, and drops the notes that display_notes() makes of them. False if it is not what
// choices_json() makes. Members it does not know are left out.
bool take_choices_from_json(const nlohmann::ordered_json& json, ModelState& state);
// Files without `choices` (0.2.0 and before) tell them in notes: turns those notes into choices.
void take_choices_from_notes(ModelState& state);

}  // namespace sieve
