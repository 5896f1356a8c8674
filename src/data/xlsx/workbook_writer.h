#pragma once

#include <functional>
#include <memory>
#include <string>

#include "data/table_source.h"
#include "labelsieve/files.h"

namespace sieve {

// A workbook that is made sheet by sheet from tables. Only a row at a time is in memory, but all of
// the packed file at the end; the rest goes through files in /tmp.
class WorkbookWriter {
 public:
  // Error(Io) where libxlsxwriter is not there, Error(Usage) where this was built without it.
  WorkbookWriter();
  ~WorkbookWriter();

  // A sheet of the table that write(out) writes as CSV, with commas and a line of names, which
  // stays in view and has filters. A cell is a number if its text is how the sheet will show it,
  // else text; never a formula. Columns of a known type are kept as such: text, dates, yes and no.
  // Error(Usage) for what a sheet cannot hold.
  void add_sheet(const std::string& name, const std::function<void(OutputStream& out)>& write,
                 const ColumnTypes& types = {});
  // Writes the file, once it is sure that it can be read again.
  void finish(OutputStream& out);

 private:
  class Book;
  std::unique_ptr<Book> book_;
};

// Adds a data set as a sheet, as it was read from one where that is asked for.
void add_data_sheet(WorkbookWriter& book, const std::string& name, const Dataset& data,
                    const WriteOptions& options, const TableWriting& table);

}  // namespace sieve
