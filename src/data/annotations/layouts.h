#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "data/annotations/annotation_formats.h"
#include "data/annotations/answers.h"

// The layouts of docs/formats/ticks.md, a pair of functions each.

namespace sieve {

bool looks_like_mturk(const AnnotationRecords& records);
void read_mturk(const AnnotationFile& file);
bool looks_like_crowdflower(const AnnotationRecords& records);
void read_crowdflower(const AnnotationFile& file);
bool looks_like_label_studio(const AnnotationRecords& records);
void read_label_studio(const AnnotationFile& file);
bool looks_like_label_studio_min(const AnnotationRecords& records);
void read_label_studio_min(const AnnotationFile& file);
bool looks_like_prodigy(const AnnotationRecords& records);
void read_prodigy(const AnnotationFile& file);
bool looks_like_argilla(const AnnotationRecords& records);
void read_argilla(const AnnotationFile& file);
bool looks_like_argilla_records(const AnnotationRecords& records);
void read_argilla_records(const AnnotationFile& file);
bool looks_like_doccano(const AnnotationRecords& records);
void read_doccano(const AnnotationFile& file);
bool looks_like_cekaplus(const AnnotationRecords& records);
// Error(Data) that asks where a table without names holds three or four numbers per line.
void refuse_unnamed_numbers(const AnnotationRecords& records);
void read_cekaplus(const AnnotationFile& file);
// Columns of 0 and 1 (or of grades), but for those whose name says that they hold no labels, which
// go to `left_out`.
std::vector<std::size_t> bit_columns(const AnnotationRecords& records,
                                     std::vector<std::string>* left_out = nullptr,
                                     const std::optional<Scale>& scale = std::nullopt);
bool looks_like_long(const AnnotationRecords& records);
void read_long(const AnnotationFile& file);
// A column per annotator, who is named as it is.
bool looks_like_raters(const AnnotationRecords& records);
void read_raters(const AnnotationFile& file);
// Whether columns hold much the same few texts, as those of annotators of one question do.
bool have_alike_texts(const AnnotationRecords& records, const std::vector<std::size_t>& columns);
bool looks_like_wide(const AnnotationRecords& records);
void read_wide(const AnnotationFile& file);

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
