#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "labelsieve/data_io.h"

namespace sieve {

// The rows of a table as people read them: the columns that are not plain numbers or labels.
struct RowTexts {
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;  // a cell for each column; or no rows at all

  bool empty() const { return rows.empty(); }
};

// Of tables (CSV, TSV) and JSON lines; nothing for other files, and where the rows are not those of
// the data. `labels` are columns of labels by name.
RowTexts read_row_texts(const std::vector<std::string>& paths, const ReadOptions& options,
                        const Dataset& data);

// The first `most` bytes or so of what a row says, in one line.
std::string excerpt(const RowTexts& texts, std::size_t row, std::size_t most);

}  // namespace sieve
