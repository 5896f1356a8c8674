#pragma once

#include <string>
#include <vector>

#include "data/ticks/tick_files.h"
#include "data/ticks/tick_formats.h"
#include "labelsieve/data_io.h"

namespace sieve {

// Reads annotations in two steps: what may name the items is known before they are read, so that
// the data can be read with the same column as its ids.
class TickReader {
 public:
  // Both must outlive the reader.
  TickReader(const TickOptions& options, FileSystem& files);

  // Columns that may name the items; empty if the layout is that of a platform.
  const std::vector<std::string>& item_names() const { return item_names_; }
  // Reads all, once. `ids` are those of the data, if it has any.
  Ticks read(const RowIds* ids, std::vector<std::string>* notes);

 private:
  void find_item_names(const TickRecords& records);

  const TickOptions& options_;
  FileSystem& file_system_;
  TickFiles files_;
  std::vector<std::string> item_names_;
};

}  // namespace sieve
