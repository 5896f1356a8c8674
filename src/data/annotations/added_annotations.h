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

}  // namespace sieve
