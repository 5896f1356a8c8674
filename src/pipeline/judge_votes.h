#pragma once

#include "labelsieve/claims.h"
#include "labelsieve/learner.h"
#include "labelsieve/pipeline.h"
#include "labelsieve/threads.h"

namespace sieve {

// judge() by votes, with what a learner, or scores (null for none), say besides them.
Judged judge_by_votes(Dataset data, const Learner& learner, const JudgeRequest& request,
                      ThreadPool& pool);
Judged judge_by_votes(Dataset data, const Matrix* scores, const JudgeRequest& request,
                      ThreadPool& pool);
// By how many ticked it. Error(Usage) if that is not known.
Judged judge_by_counts(Dataset data);

// "forest, 5 folds": a method as Judged::judge names it.
std::string judge_name(const OutOfFold& judged);

// The same rows with probabilities rounded to 0 or 1: `right` (rows x labels) from one half on
// is 1.
TrainingData with_likely_labels(const TrainingData& data, Matrix right);

// What a method learns from where it is known who ticked what: probabilities by votes and by a
// predictor that has not seen the row. Cells of `gold` and `decided` are as decided, and rows that
// nobody annotated are left out. Only `gold` says anything of other cells. The predictor is fitted
// on the probabilities by votes alone. Where annotators cannot be compared (Overlap), the
// candidates are what anybody ticked, with decided cells as decided, and there are no
// probabilities. Error(Usage) without votes; else what the fits throw.
TrainingData labels_by_votes(const TrainingData& data, const Learner& learner, std::size_t folds,
                             const FitOptions& fit, std::span<const GoldCell> gold = {},
                             std::span<const GoldCell> decided = {});
// The candidates with the cells of `gold` as decided, and no votes.
TrainingData as_decided(const TrainingData& data, std::span<const GoldCell> gold);

std::vector<std::size_t> rows_looked_at(const Votes& votes);
// The cells of these rows out of `all`, counted among them.
std::vector<GoldCell> gold_among(std::span<const std::size_t> rows, std::size_t all,
                                 std::span<const GoldCell> gold);

// judge() by a learner where it is not known who ticked what, or does not count.
Judged judge_by_union(Dataset data, const Learner& learner, const JudgeRequest& request);

// What features alone say of targets (rows x labels): means of ridge regressions over several
// splits into folds. Those that learnt from a row have no say in its score; of `learn` (at least
// two rows, ascending) they learn. Uses seed, threads and progress of `fit`. Error(Data) for
// features that are no numbers.
Matrix linear_scores(const TrainingData& data, std::span<const std::size_t> learn,
                     const Matrix& targets, std::size_t folds, const FitOptions& fit);

// Probabilities by votes alone for an audit of its data, where annotators can be compared: votes
// are quick to weigh.
void believe_votes(AuditSubject& subject, ThreadPool& pool);

}  // namespace sieve
