#pragma once

#include <optional>
#include <string>
#include <vector>

#include "labelsieve/candidate_scores.h"
#include "labelsieve/clean.h"
#include "labelsieve/files.h"
#include "labelsieve/learner.h"

// How much of a data set's candidates a method believes.
namespace sieve {

// A data set and how sure a method is of its candidates.
struct Judged {
  Dataset data;
  CandidateScores confidence;
  std::string judge;  // "pml-gan, 5 folds"
};

// By a finished model, though it may have seen the rows. The labels come out in the order of the
// model's.
Judged judge_in_sample(Dataset data, const Model& model, std::string judge, ThreadPool& pool);

// Every row by a model that has not seen it: see out_of_fold_confidence(), which does it.
Judged judge_out_of_fold(Dataset data, const Learner& learner, std::string judge, std::size_t folds,
                         const FitOptions& fit);

struct CleanOptions {
  std::size_t folds = 5;   // how often the method is trained, each time on the other rows
  double threshold = 0.5;  // candidates of less confidence are removed
  FitOptions fit;          // seed, threads and progress
};
struct Cleaned {
  Judged judged;  // the data as it came, with the confidence in each candidate
  CleanedLabels labels;
  std::vector<JudgedCandidate> suspects;  // all candidates, the most suspicious first
};
// Judges every candidate out of fold and removes those that are more likely noise than not.
Cleaned clean(Dataset data, const Learner& learner, const CleanOptions& options = {});

// How much of a label's candidates is noise, as the judge sees it and in truth; NaN where unknown.
struct NoiseOfLabel {
  std::size_t candidates = 0;
  double estimated = 0, real = 0;
};
std::vector<NoiseOfLabel> noise_of_labels(const Judged& judged);

// The mean over all candidates; 0 for none.
double mean_noise(const std::vector<NoiseOfLabel>& labels);

// How well the confidences tell right candidates from noise; nothing where the truth is not known.
// Takes 8 bytes per candidate meanwhile.
struct CleaningQuality {
  double auc = 0, average_precision = 0;
};
std::optional<CleaningQuality> cleaning_quality(const Judged& judged);

// The candidates in the order given, with their confidence (and the id of the row and the truth,
// where known) as CSV.
void write_suspects(const Judged& judged, const std::vector<JudgedCandidate>& ranked,
                    OutputStream& file);

}  // namespace sieve
