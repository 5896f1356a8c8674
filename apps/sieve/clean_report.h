#pragma once

#include <optional>
#include <string>
#include <vector>

#include "judging.h"
#include "labelsieve/clean.h"
#include "labelsieve/files.h"
#include "options.h"

namespace sieve {

// How much of a label's candidates is noise, as the judge sees it and in truth; NaN where unknown.
struct NoiseOfLabel {
  std::size_t candidates = 0;
  double estimated = 0, real = 0;
};
std::vector<NoiseOfLabel> noise_of_labels(const Judged& judged);

// The mean over all candidates; 0 for none.
double mean_noise(const std::vector<NoiseOfLabel>& labels);

// How well the confidences tell right candidates from noise; nothing where the truth is not known.
// Takes 8 bytes a candidate meanwhile.
struct CleaningQuality {
  double auc = 0, average_precision = 0;
};
std::optional<CleaningQuality> cleaning_quality(const Judged& judged);

// Estimated noise, the labels, the first --top suspects (`ranked` has at least those), and the
// quality where it is known.
Report report_cleaning(const Judged& judged, const std::vector<JudgedCandidate>& ranked,
                       const CleanedLabels& cleaned, std::optional<CleaningQuality> quality,
                       const Arguments& arguments);

// Every candidate with its confidence (and the truth, where known) as CSV.
void write_suspects(const Judged& judged, const std::vector<JudgedCandidate>& ranked,
                    OutputStream& file);

}  // namespace sieve
