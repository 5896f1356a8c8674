#pragma once

#include <memory>
#include <stdexcept>
#include <vector>

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

// How a model file holds the recipe of its features: see docs/formats/model.md.

// All but its numbers.
nlohmann::ordered_json recipe_json(const FeatureRecipe& recipe);
// "recipe/fill", one value per column, and "recipe/weights<k>", one per feature of a text column k.
std::vector<Tensor> recipe_tensors(const FeatureRecipe& recipe);

// Takes the tensors of the recipe out of the state. Throws RecipeProblem, or an exception of the
// JSON library, where the parts do not make a recipe that fits the state.
struct RecipeProblem : std::runtime_error {
  using std::runtime_error::runtime_error;
};
std::shared_ptr<const FeatureRecipe> recipe_of(const nlohmann::ordered_json& json,
                                               ModelState& state);

}  // namespace sieve
