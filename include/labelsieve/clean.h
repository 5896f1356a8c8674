#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "labelsieve/candidate_scores.h"
#include "labelsieve/learner.h"

// Telling right candidates from noise.
namespace sieve {

// How sure a method is of every candidate, each row judged by a model that has not seen it: the
// rows are cut into `folds` parts, stratified by candidates, and each part is judged by a model of
// the others. What a method chooses by held-out candidates, such as the depth of a network, it
// chooses once, on all rows: see Learner::settled. A learner that judges_unseen_rows() by itself
// does it all in one fit. Only seed, threads and progress of `fit` are used. Error(Usage) for fewer
// than 2 folds or more than rows; else what the fits throw.
CandidateScores out_of_fold_confidence(const TrainingData& data, const Learner& learner,
                                       std::size_t folds, const FitOptions& fit);

// How likely each label of each row is as a model sees it that has not seen the row: its scores, by
// the same folds. The models learn from the rows `learn` alone (ascending, none twice), which the
// folds are made of; the other rows are judged by one of them.
Matrix out_of_fold_scores(const TrainingData& data, std::span<const std::size_t> learn,
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
