#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "data/jsonl/jsonl_table.h"
#include "data/recipe/recipe_use.h"

namespace sieve {

// Rows that come one by one, each in a line of JSON, with the columns that are known beforehand: a
// list of them all in their order, or an object that has them by name. Columns called x[0], x[1],
// ... are the list "x"; where columns have no names, all of them are the list "features". Other
// keys are passed over.
class JsonRows {
 public:
  // Columns by name, or `columns` of them without. The recipe of the options makes the features;
  // without one all columns are numbers. The id of a row is that of the id column of the options,
  // else of "id", if no column is called so.
  JsonRows(const std::vector<std::string>& names, std::size_t columns, ReadOptions options);
  JsonRows(const JsonRows&) = delete;
  JsonRows& operator=(const JsonRows&) = delete;

  struct Row {
    Features features;
    std::string id;  // empty if it has none
  };
  // Error(Data) at what is wrong with the line.
  Row row(std::string_view line) const;
  // The id of a line that may be wrong otherwise, as far as it is known.
  std::string id(std::string_view line) const;

 private:
  ReadOptions options_;
  std::string path_;
  JsonlKeys list_, object_;
  BlockRecipe list_recipe_, object_recipe_;
};

}  // namespace sieve
