#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "labelsieve/data_io.h"

// What decisions and programs add to annotations that were read.

namespace sieve {

// What a row gets beside what was said of it already.
struct AddedToRow {
  struct Annotation {
    std::string by;
    std::vector<std::size_t> labels;      // that are right, and ...
    std::vector<std::size_t> rejected{};  // ... those that are not; nothing was said of others
  };
  std::size_t row = 0;
  std::vector<Annotation> annotations{};
  std::vector<std::size_t> predicted{};  // labels of a program ...
  std::optional<double> score{};         // ... and the least of their probabilities
};

struct AddedAnnotations {
  std::vector<AddedToRow> rows{};  // in the order of the data
  std::string model_version{};     // of the predictions
};

// Each reviewer has an annotation with the labels they found right; the other labels of the row are
// predicted, with the least of their probabilities where these are known.
AddedAnnotations added_annotations(const std::vector<ReviewerDecision>& decisions,
                                   const LabelMatrix& labels, const std::vector<std::size_t>& rows,
                                   const CandidateScores* probabilities,
                                   const std::string& model_version);

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

// Writes tasks of Label Studio. Where the annotations came from an export of it, the file comes
// back: every task with its data and its annotations to the byte, and with these rows' annotations
// and predictions added. Else there is a task for each of the rows, with its id and its cells.
void write_label_studio(const Dataset& data, const AddedAnnotations& what,
                        const AnnotationOptions& from, FileSystem& files, OutputStream& out);

// Reviewers whom Label Studio will not know: it knows annotators by number or by address.
std::vector<std::string> unknown_to_label_studio(const AddedAnnotations& what);

}  // namespace sieve
