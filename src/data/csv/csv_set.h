#pragma once

#include <cstddef>
#include <string>

#include "data/csv/csv_rows.h"
#include "data/recipe/number_marks.h"
#include "labelsieve/data_io.h"

namespace sieve {

// The data set of the rows that were read. `bytes_read` limits what a list of labels may take.
Dataset dataset_of(CsvTable table, const CsvColumns& columns, std::size_t bytes_read,
                   const ReadOptions& options, const std::string& path);

// The same, with a table for the recipe where some of it is no plain number.
RawSet raw_set(CsvTable table, const CsvColumns& columns, const NumberMarks& marks,
               std::size_t bytes_read, const ReadOptions& options, const std::string& path);

}  // namespace sieve
