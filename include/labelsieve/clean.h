#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "labelsieve/candidate_scores.h"
#include "labelsieve/learner.h"

// Separates right candidates from noise.
namespace sieve {

// Out-of-fold scores of every row. Learner::fit_out_of_fold() gets the rows `learn` (ascending,
// none twice); one of its models scores the others. `probabilities` are set only if all rows are
// given.
OutOfFold out_of_fold_scores(const TrainingData& data, std::span<const std::size_t> learn,
                             const Learner& learner, std::size_t folds, const FitOptions& fit);

// Stores the model's probability of the candidates of the given rows, a window at a time.
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

// The mean of 1 - probability over the candidates of each label; NaN for a label that is never a
// candidate.
template <class Confidence>
std::vector<double> estimated_noise(const Confidence& confidence, const LabelMatrix& candidates);

struct CleanedLabels {
  LabelMatrix kept;
  std::size_t removed = 0;       // candidates
  std::size_t rescued_rows = 0;  // rows that would have lost every label and keep the best one
};
// Removes candidates whose probability is below the threshold.
template <class Confidence>
CleanedLabels remove_suspects(const Confidence& confidence, const LabelMatrix& candidates,
                              double threshold);

}  // namespace sieve
