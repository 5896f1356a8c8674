#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <vector>

#include "labelsieve/learner.h"

// How a model file holds the recipe of its features: see docs/formats/model.md.
namespace sieve {

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
