#pragma once

#include <string>
#include <vector>

#include "data/annotations/added_annotations.h"
#include "labelsieve/data_io.h"

namespace sieve {

// Layouts that write_annotations_back() can write.
const std::vector<std::string>& layouts_written_back();

// The layout of the annotations, by their first file; "" without any.
std::string layout_of_annotations(const AnnotationOptions& from, FileSystem& files);

// Writes the annotations as they came, to the byte, with what was added: decisions as annotations
// of those who made them, labels of a program as those of an annotator named by its version. What
// is said of an item elsewhere in its records (its text, say) comes along; what was said by another
// annotator does not. Several files are written one below the other. Notes tell what had to be
// written in another way. Error(Usage) for files and layouts that do not come back.
void write_annotations_back(const Dataset& data, const AddedAnnotations& what,
                            const AnnotationOptions& from, FileSystem& files, OutputStream& out,
                            std::vector<std::string>& notes);

}  // namespace sieve
