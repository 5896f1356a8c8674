#pragma once

#include <cstddef>
#include <vector>

#include "data/annotations/annotation_formats.h"

namespace sieve {

// The column of a table that says who annotated: the one that is asked for, else the one that is
// named so; npos for none. A plain name ("worker") goes before one that may mean someone else
// ("reviewer"). Error(Data) that asks where several columns are named as plainly and differ.
std::size_t annotator_column(const AnnotationFile& file);

// Once the columns with a known meaning, `used`, and the items are settled: Error(Data) that asks
// where a further column may say who annotated, and the name of `annotator` does not settle it. A
// table without such a column may be that of one annotator: asked too, unless the layout makes that
// plain.
enum class OneAnnotator { Asked, Plain };
void settle_annotators(const AnnotationFile& file, std::size_t annotator, std::size_t item,
                       const std::vector<std::size_t>& used,
                       OneAnnotator one = OneAnnotator::Asked);

}  // namespace sieve
