#pragma once

#include <string>
#include <vector>

#include "data/recipe/table.h"

namespace sieve {

// The rows of a set, before or after it has features.
std::size_t rows_of(const RawSet& set);

// The labels of the file `path`, one row for each row of the set: by id where both have ids, else
// by order. By id, rows that only one of them has are left out of it, and a note counts and names
// them. Error(Data) where they have no id in common, where one stands twice, or where rows that go
// by order differ in number. A set without ids takes those of the labels.
Dataset labels_for_rows(RawSet& set, Dataset labels, const std::string& path,
                        std::vector<std::string>* notes);

}  // namespace sieve
