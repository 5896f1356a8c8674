#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "data/recipe/table.h"

namespace sieve {

// The columns that a table in a file gets besides ids and labels: the cells as they came where the
// set has them, else its features.
class ColumnsOut {
 public:
  explicit ColumnsOut(const Dataset& data);

  std::size_t count() const;
  std::vector<std::string> names() const;  // numbered where there are none
  // Makes these of the row: numbers()[j], NaN where there is none, and how it was written, empty
  // where that is the shortest decimal; or texts()[j], where it is set.
  void go_to(std::size_t row);
  const std::vector<float>& numbers() const { return numbers_; }
  const std::vector<std::string>& spellings() const { return spellings_; }
  const std::vector<std::optional<std::string_view>>& texts() const { return texts_; }

 private:
  const Dataset& data_;
  std::optional<CellTexts::ByRow> cells_;
  std::vector<float> numbers_;
  std::vector<std::string> spellings_;
  std::vector<std::optional<std::string_view>> texts_;
};

}  // namespace sieve
