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

}  // namespace sieve
