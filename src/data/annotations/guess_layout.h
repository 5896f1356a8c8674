#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "data/annotations/annotation_formats.h"

namespace sieve {

// The layout of a table whose names of columns do not say it, guessed from what the columns hold.
struct GuessedLayout {
  std::string format;  // "long" or "wide"
  std::string label;   // the column of labels of a long table
};

// Nothing where too little is known to ask about the rest: no column is named as items or
// annotators are, and the user named none. Error(Data) that asks where several columns may have the
// labels, or only one that is the same in all annotations of an item.
std::optional<GuessedLayout> guess_layout(const AnnotationRecords& records,
                                          const AnnotationOptions& options,
                                          const std::string& path);

// The column of labels in an export of a known tool, by what the columns hold, but for those that
// are `taken` and those that say something of the item; a note names it. Error(Data) that asks if
// several may have them, or without an answer if none may.
std::size_t labels_by_content(const AnnotationFile& file, std::size_t item,
                              std::vector<std::size_t> taken);

}  // namespace sieve
