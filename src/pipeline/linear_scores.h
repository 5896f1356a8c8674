#pragma once

#include "labelsieve/learner.h"

namespace sieve {

// What features alone say of targets (rows x labels): means of ridge regressions over several
// splits into folds. Those that learnt from a row have no say in its score; of `learn` (at least
// two rows, ascending) they learn. Uses seed, threads and progress of `fit`. Error(Data) for
// features that are no numbers.
Matrix linear_scores(const TrainingData& data, std::span<const std::size_t> learn,
                     const Matrix& targets, std::size_t folds, const FitOptions& fit);

}  // namespace sieve
