#pragma once

#include <cstddef>
#include <vector>

#include "labelsieve/learner.h"

// Telling right candidates from noise.
namespace sieve {

// How sure a method is of every candidate (rows x labels, in [0, 1], 0 outside the candidates),
// each row judged by a model that has not seen it: the rows are cut into `folds` parts, stratified
// by candidates, and each part is judged by a model of the others. Only seed, threads and progress
// of `fit` are used. Error(Usage) for fewer than 2 folds or more than rows; else what the fits
// throw.
Matrix out_of_fold_confidence(const TrainingData& data, const Learner& learner, std::size_t folds,
                              const FitOptions& fit);

struct JudgedCandidate {
  std::size_t row = 0, label = 0;
  float confidence = 0;
};
// Every candidate, the most suspicious first; among equals by row, then by label.
std::vector<JudgedCandidate> ranked_candidates(const Matrix& confidence,
                                               const LabelMatrix& candidates);

// The mean of 1 - confidence over the candidates of each label; NaN for one that is never a
// candidate.
std::vector<double> estimated_noise(const Matrix& confidence, const LabelMatrix& candidates);

struct CleanedLabels {
  LabelMatrix kept;
  std::size_t removed = 0;       // candidates
  std::size_t rescued_rows = 0;  // rows that would have lost all and keep their best one
};
// Takes out candidates whose confidence is below the threshold.
CleanedLabels remove_suspects(const Matrix& confidence, const LabelMatrix& candidates,
                              double threshold);

}  // namespace sieve
