#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "labelsieve/error.h"

// Tables whose rows have names: methods, formats, verbs, ...

namespace sieve {

template <class Row>
std::vector<std::string> names_of(const std::vector<Row>& table,
                                  std::string Row::*name = &Row::name) {
  std::vector<std::string> names;
  names.reserve(table.size());
  for (const Row& row : table) names.push_back(row.*name);
  return names;
}

// Error(Usage): there is no `what` of that name, with the nearest one.
Error no_such(const std::string& what, const std::string& name,
              const std::vector<std::string>& names);

// The row of that name, or no_such.
template <class Row>
const Row& row_named(const std::vector<Row>& table, const std::string& name,
                     const std::string& what) {
  const auto found = std::ranges::find(table, name, &Row::name);
  if (found == table.end()) throw no_such(what, name, names_of(table));
  return *found;
}

// The name most like `word` by edits (insert, delete, change, swap of neighbours); "" if none is
// close enough to be meant.
std::string nearest(const std::string& word, const std::vector<std::string>& names);

// "did you mean 'inspect'?", or `otherwise` if nothing is near.
std::string did_you_mean(const std::string& word, const std::vector<std::string>& names,
                         const std::string& otherwise);

}  // namespace sieve
