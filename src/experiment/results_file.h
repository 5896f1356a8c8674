#pragma once

#include <string>
#include <vector>

#include "experiment/store.h"

// Results as a CSV file, one finished task per line, to be kept beside the code and compared by
// eye: docs/formats/store.md describes it. Measures have six digits.

namespace sieve {

// The finished ones among `tasks`, with the measures of the plan.
std::string results_csv(const StoredResults& stored, const std::vector<Task>& tasks);

// Whether the file begins like such a file. Error(Io) if it cannot be read.
bool is_results_file(const std::string& path);

// The tasks in the file, all of them done; its measures are those of the plan. Error(Data) with its
// place for a line that cannot be such a result.
StoredResults read_results_file(const std::string& path);

// Without results that do not belong together with the others: those of an older version than the
// newest of their method, and those on other data, or of another state of their method, than the
// latest ones. One line in `left_out` for each kind, with how many there were.
StoredResults current_results(StoredResults stored, std::vector<std::string>& left_out);

}  // namespace sieve
