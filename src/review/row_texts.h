#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "labelsieve/dataset.h"

namespace sieve {

// The rows of a table as people read them: the columns that hold more than numbers, and ids that
// name pictures or sounds.
struct RowTexts {
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;  // a cell for each column; or no rows at all

  bool empty() const { return rows.empty(); }
};

// Of data that was read with its cells (ReadOptions::keep_cells and keep_left_out).
RowTexts row_texts(const Dataset& data);

// The first `most` bytes or so of what a row says, in one line.
std::string excerpt(const RowTexts& texts, std::size_t row, std::size_t most);

}  // namespace sieve
