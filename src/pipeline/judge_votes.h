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

// The same rows with what is likely taken for certain: beliefs of 1 for labels that are at least as
// likely right (rows x labels) as not, of 0 for all others.
TrainingData with_likely_labels(const TrainingData& data, Matrix right);

// What a method should learn from where it is known who ticked what: beliefs are how likely votes,
// and a predictor that has not seen the row, make each label; cells of `gold` and `decided` are
// as decided, and rows that nobody looked at are left out. Only `gold` tells of other cells. The
// predictor is fitted on how likely the votes alone make each label. Where annotators cannot be
// compared (Overlap), the candidates are what anybody ticked, with the cells of `gold` as decided,
// and there are no beliefs. Error(Usage) without votes; else what the fits throw.
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
