#pragma once

#include <string>
#include <vector>

#include "experiment/store.h"

namespace sieve {

// Without results that do not belong together with the others: those of an older version than the
// newest of their method, and those on other data, or of another state of their method, than the
// latest ones. One line in `left_out` for each kind, with how many there were.
StoredResults current_results(StoredResults stored, std::vector<std::string>& left_out);

}  // namespace sieve
