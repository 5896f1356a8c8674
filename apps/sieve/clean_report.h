#pragma once

#include <string>
#include <vector>

#include "labelsieve/clean.h"
#include "labelsieve/files.h"
#include "options.h"

namespace sieve {

// A data set and how sure a method is of its candidates.
struct Judged {
  Dataset data;
  CandidateScores confidence;
  std::string judge;  // "pml-gan, 5 folds"
};

// Estimated noise, the labels, the first --top suspects, and measures where the truth is known.
Report report_cleaning(const Judged& judged, const std::vector<JudgedCandidate>& ranked,
                       const CleanedLabels& cleaned, const Arguments& arguments);

// Every candidate with its confidence (and the truth, where known) as CSV.
void write_suspects(const Judged& judged, const std::vector<JudgedCandidate>& ranked,
                    const std::string& path, IfExists exists);

}  // namespace sieve
