#pragma once

#include <string>
#include <vector>

#include "data/annotations/added_annotations.h"
#include "labelsieve/data_io.h"

namespace sieve {

// Writes tasks of Label Studio. Where the annotations came from an export of it, the file comes
// back: every task with its data and its annotations to the byte, and with these rows' annotations
// and predictions added. Else there is a task for each of the rows, with its id and its cells.
void write_label_studio(const Dataset& data, const AddedAnnotations& what,
                        const AnnotationOptions& from, FileSystem& files, OutputStream& out);

// Reviewers whom Label Studio will not know: it knows annotators by number or by address.
std::vector<std::string> unknown_to_label_studio(const AddedAnnotations& what);

}  // namespace sieve
