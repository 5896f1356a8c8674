#pragma once

#include "labelsieve/pipeline.h"

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

}  // namespace sieve
