#pragma once

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

}  // namespace sieve
