#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "data/annotations/annotation_files.h"
#include "data/annotations/annotation_formats.h"
#include "labelsieve/data_io.h"

namespace sieve {

// Reads annotations in two steps: what may name the items is known before they are read, so that
// the data can be read with the same column as its ids.
class AnnotationReader {
 public:
  // Both must outlive the reader.
  AnnotationReader(const AnnotationOptions& options, FileSystem& files);

  // Columns that may name the items; empty if the layout is that of a platform.
  const std::vector<std::string>& item_names() const { return item_names_; }
  // Reads all, once. `ids` are those of the data, if it has any.
  // `data` takes in the data of the items, and may be null.
  Annotations read(const RowIds* ids, std::vector<std::string>* notes, ItemData* data = nullptr);
  // Once all is read, what columns were taken for: see AnnotationSink::use().
  const std::map<std::string, std::string>& used() const { return used_; }
  // As AnnotationFiles does it.
  void look(const std::function<void(const AnnotationRecords&)>& show) { files_.look(show); }

 private:
  void find_item_names(const AnnotationRecords& records);

  const AnnotationOptions& options_;
  FileSystem& file_system_;
  AnnotationFiles files_;
  std::vector<std::string> item_names_;
  std::map<std::string, std::string> used_;
};

}  // namespace sieve
