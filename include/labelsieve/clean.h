#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "labelsieve/candidate_scores.h"
#include "labelsieve/learner.h"

// Telling right candidates from noise.
namespace sieve {

// The scores of every row by models that have not learnt from it: Learner::fit_out_of_fold(), which
// is given the rows `learn` alone (ascending, none twice); one of its models scores the others.
// There are `probabilities` only if all rows are given.
OutOfFold out_of_fold_scores(const TrainingData& data, std::span<const std::size_t> learn,
                             const Learner& learner, std::size_t folds, const FitOptions& fit);

// Takes the model's confidence in the candidates of the given rows down, a window at a time.
void judge_rows(const Model& model, const TrainingData& data, std::span<const std::size_t> rows,
                ThreadPool& pool, CandidateScores& into);

// `Confidence` below is CandidateScores, or a Matrix of rows x labels.

struct JudgedCandidate {
  std::size_t row = 0, label = 0;
  float confidence = 0;
};
// The candidates, the most suspicious first; among equals by row, then by label. At most `most`.
template <class Confidence>
std::vector<JudgedCandidate> ranked_candidates(
    const Confidence& confidence, const LabelMatrix& candidates,
    std::size_t most = std::numeric_limits<std::size_t>::max());

// The mean of 1 - confidence over the candidates of each label; NaN for one that is never a
// candidate.
template <class Confidence>
std::vector<double> estimated_noise(const Confidence& confidence, const LabelMatrix& candidates);

struct CleanedLabels {
  LabelMatrix kept;
  std::size_t removed = 0;       // candidates
  std::size_t rescued_rows = 0;  // rows that would have lost all and keep their best one
};
// Takes out candidates whose confidence is below the threshold.
template <class Confidence>
CleanedLabels remove_suspects(const Confidence& confidence, const LabelMatrix& candidates,
                              double threshold);

}  // namespace sieve
