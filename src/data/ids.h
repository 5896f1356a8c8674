#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "data/recipe/table.h"

// Ids of rows, joined across files.

namespace sieve {

// Error(Data) for an id that stands twice.
void check_ids(const std::vector<std::string>& ids, const std::string& path);

// Which row of `given` has each of the `wanted` ids. Error(Data) names the first that none has, and
// says how many there are.
std::vector<std::size_t> rows_with_ids(std::span<const std::string> wanted,
                                       std::span<const std::string> given, const std::string& file);

// "12 (a, b, c, ...)": how many there are, and the first few.
std::string counted_names(std::size_t count, std::span<const std::string> first);

// The rows of a set, before or after it has features.
std::size_t rows_of(const RawSet& set);

// The labels of the file `path`, one row for each row of the set: by id where both have ids, else
// by order. By id, rows that only one of them has are left out of it, and a note counts and names
// them. Error(Data) where they have no id in common, where one stands twice, or where rows that go
// by order differ in number. A set without ids takes those of the labels.
Dataset labels_for_rows(RawSet& set, Dataset labels, const std::string& path,
                        std::vector<std::string>* notes);

}  // namespace sieve
