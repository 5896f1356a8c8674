#pragma once

#include <optional>
#include <string>
#include <vector>

#include "labelsieve/data_io.h"

namespace sieve {

// One entry a column of a table: is it a label?
using LabelMask = std::vector<bool>;

// The columns of a table that `labels` (names, prefix, count or all) says are labels; nullopt if it
// says nothing. A prefix is cut off from the names. Throws Error(Usage) for a name that no column
// has, a prefix that none begins with, or a count that does not fit.
std::optional<LabelMask> chosen_labels(const LabelColumns& labels, std::vector<std::string>& names,
                                       const std::string& path);

// n > 0: the first n of `columns`; n < 0: the last -n; 0: none. nullopt if there are fewer.
std::optional<LabelMask> labels_by_count(long n, std::size_t columns);

// What to tell whoever asked for more columns than there are.
std::string count_hint();

// The columns with these names. `missing` gets a name that no column has, if there is one.
LabelMask labels_by_name(const std::vector<std::string>& wanted,
                         const std::vector<std::string>& columns, std::string& missing);

}  // namespace sieve
