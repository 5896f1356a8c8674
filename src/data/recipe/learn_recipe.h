#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "data/recipe/table.h"
#include "labelsieve/dataset.h"
#include "labelsieve/threads.h"

namespace sieve {

// What each column of a table is: what the options say, else numbers if most of its cells are
// numbers, else categories if its texts repeat. Nothing for names of pictures and sounds: no
// features are made of them. Error(Data) for cells that do not fit (they are
// counted, and the first five shown) and for a column of text or dates that nobody has named.
std::vector<std::optional<RecipeColumn::Kind>> column_kinds(const RawTable& table,
                                                            const TableOptions& options);

// Features of a category that has too many values for one each.
constexpr std::size_t kCategoryBuckets = 256;
// RecipeColumn::fill of a category whose values are compared as they are written.
constexpr float kComparesText = 1;

// 0, 1, ... as many as there are rows.
std::vector<std::size_t> all_rows(const RawTable& table);

// Decides what the columns of a table are, by the options and by their cells, and learns from the
// given rows what it takes to make features of them. What it learns does not depend on the number
// of threads. Error(Data) counts and shows cells that do not fit, or names a column that has to be
// told what it is.
FeatureRecipe learn_recipe(const RawTable& table, const TableOptions& options,
                           const std::vector<std::size_t>& rows, ThreadPool* pool);

}  // namespace sieve
