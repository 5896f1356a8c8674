#pragma once

#include <vector>

#include "data/recipe/table.h"

namespace sieve {

// What each column of a table is: what the options say, else numbers if most of its cells are
// numbers, else categories if its texts repeat. Error(Data) for cells that do not fit (they are
// counted, and the first five shown) and for a column of text or dates that nobody has named.
std::vector<RecipeColumn::Kind> column_kinds(const RawTable& table, const TableOptions& options);

}  // namespace sieve
