#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "data/annotations/annotation_records.h"
#include "labelsieve/data_io.h"
#include "labelsieve/files.h"

namespace sieve {

// What a file of annotations holds: records or, in a ZIP file or a workbook, several files of them.
class OpenAnnotations {
 public:
  virtual ~OpenAnnotations() = default;
  virtual std::size_t count() const { return 1; }
  // Valid until the next call. Those of a plain file can be read once.
  virtual AnnotationRecords& records(std::size_t member) = 0;
  // Whether the files inside may be named after annotators: else the file itself may be.
  virtual bool members_have_names() const { return false; }
  // Sentences about what was unusual, once all is read.
  virtual std::vector<std::string> notes() const { return {}; }
};

// Both must outlive it. Error(Data) for a file that holds no annotations by its first bytes.
std::unique_ptr<OpenAnnotations> open_annotations(const std::string& path,
                                                  const AnnotationOptions& options,
                                                  FileSystem& files);

}  // namespace sieve
