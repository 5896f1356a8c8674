#pragma once

#include <string>
#include <vector>

#include "labelsieve/learner.h"

namespace sieve {

// The columns that rows for a model have: those of the table that its recipe makes features of, or
// its features. Names are empty where they have none.
struct ModelColumns {
  explicit ModelColumns(const ModelState& state)
      : count(state.recipe ? state.recipe->columns.size() : state.features) {
    if (!state.recipe) {
      names = state.feature_names;
      return;
    }
    for (const RecipeColumn& column : state.recipe->columns)
      if (!column.name.empty()) names.push_back(column.name);
  }

  std::size_t count;
  std::vector<std::string> names;
};

}  // namespace sieve
