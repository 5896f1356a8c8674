#pragma once

#include <memory>
#include <string>
#include <string_view>

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

}  // namespace sieve
