#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace sieve {

struct CountedName {
  std::string name;
  std::size_t count;
};

// "'N/A' (3), 'nan' (1)", the most frequent first, and some of them only.
std::string shown(std::vector<CountedName> names);

}  // namespace sieve
