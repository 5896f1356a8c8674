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

// Whether the first bytes are those of a COCO file: one JSON object with images, annotations and
// categories.
bool begins_as_coco(std::string_view front);

// Such a file as a long table in CSV: image_id, file_name, label and, where annotations name them,
// annotator. Boxes and outlines are left out: an annotation says that the image has the category.
// An image without annotations has a line without a label if nobody is named. Error(Data) for
// annotations of images or categories that are not in the file.
std::unique_ptr<InputStream> coco_table(InputStream& in, const std::string& path);

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
