#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "labelsieve/data_io.h"

namespace sieve {

// What a row gets beside what its task has already.
struct StudioRow {
  struct Annotation {
    std::string by;
    std::vector<std::size_t> labels;
  };
  std::size_t row = 0;
  std::vector<Annotation> annotations{};
  std::vector<std::size_t> predicted{};  // labels of a program ...
  std::optional<double> score{};         // ... and the least of their probabilities
};

struct StudioOut {
  std::vector<StudioRow> rows{};  // in the order of the data
  std::string model_version{};    // of the predictions
};

// One reviewer's decision about a cell.
struct StudioDecision {
  std::size_t row = 0, label = 0;
  bool on = false;
  std::string by{};
};
// Each reviewer has an annotation with the labels they found right; the other labels of the row are
// predicted, with the least of their probabilities where these are known.
StudioOut studio_out(const std::vector<StudioDecision>& decisions, const LabelMatrix& labels,
                     const std::vector<std::size_t>& rows, const CandidateScores* probabilities,
                     const std::string& model_version);

// Writes tasks of Label Studio. Where the annotations came from an export of it, the file comes
// back: every task with its data and its annotations to the byte, and with these rows' annotations
// and predictions added. Else there is a task for each of the rows, with its id and its cells.
void write_label_studio(const Dataset& data, const StudioOut& what, const AnnotationOptions& from,
                        FileSystem& files, OutputStream& out);

// Reviewers whom Label Studio will not know: it knows annotators by number or by address.
std::vector<std::string> unknown_to_label_studio(const StudioOut& what);

}  // namespace sieve
