#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "data/csv/csv_rows.h"
#include "data/recipe/number_marks.h"
#include "data/recipe/recipe_use.h"
#include "labelsieve/data_io.h"

namespace sieve {

// The data set of the rows that were read. `bytes_read` limits what a list of labels may take.
Dataset dataset_of(CsvTable table, const CsvColumns& columns, std::size_t bytes_read,
                   const ReadOptions& options, const std::string& path);

// The same, with a table for the recipe where some of it is no plain number.
RawSet raw_set(CsvTable table, const CsvColumns& columns, const NumberMarks& marks,
               std::size_t bytes_read, const ReadOptions& options, const std::string& path);

// Reads features alone: blocks of text go through `parse`, on several threads at once, and on to
// `take`. The number of rows, those before included.
struct TableText {
  LineSource& source;
  bool quotes;  // whether a cell in quotes may hold line breaks
  const CsvColumns& columns;
  const BlockRecipe& recipe;
  std::function<void(const TextBlock& block, CsvTable& table)> parse;
};
std::size_t stream_table(const TableText& text, const ReadOptions& options, std::size_t rows_before,
                         const TakeFeatures& take);

}  // namespace sieve
