#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "data/annotations/annotations_back.h"
#include "labelsieve/review.h"

// Labels that reviewers decided, on their way to a file: the page and the command write the same.
namespace sieve {

// What becomes of labels that nobody decided: they stay as they were ticked, are those that clean()
// keeps, or their rows are left out.
enum class Undecided { Keep, Machine, Drop };
// "keep", "machine" and "drop".
const std::vector<std::string>& undecided_names();
Undecided undecided_named(const std::string& name);
std::string undecided_name(Undecided undecided);

// Data with the labels that are written.
struct ReviewedLabels {
  Dataset data;
  std::vector<std::size_t> rows{};  // of the data as they came
};
// `kept` are the labels that clean() keeps, for Machine. Drop leaves out a row with a tick that
// nobody decided, and one without any decision.
ReviewedLabels reviewed_labels(const Dataset& data, const Reviewed& reviewed, Undecided undecided,
                               const LabelMatrix* kept);

// The labels that nobody decided, as predictions of that version, none without it; of rows that
// nobody decided only if `all_rows`.
struct Predictions {
  const CandidateScores* probabilities = nullptr;
  std::string version{};
  bool all_rows = false;
};
// What is added to the annotations that were read: decisions as annotations, the other labels of
// `data` as predictions.
AddedAnnotations added_decisions(const Dataset& data, const Reviewed& reviewed,
                                 const Predictions& predictions);
// The same for tables, where the version is a name that can be given in a list.
AddedAnnotations decisions_written_back(const Dataset& data, const Reviewed& reviewed,
                                        Predictions predictions);

}  // namespace sieve
