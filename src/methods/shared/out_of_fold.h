#pragma once

#include "labelsieve/clean.h"

namespace sieve {

// What models that have not seen a row say of it: how likely each of its labels is, and how sure
// they are of its candidates. The same models as in out_of_fold_confidence(), whose conditions
// hold.
struct UnseenRows {
  Matrix scores;
  CandidateScores confidence;
  std::shared_ptr<const Model> model{};  // the last one that judged
};
UnseenRows judge_unseen_rows(const TrainingData& data, const Learner& learner, std::size_t folds,
                             const FitOptions& fit);

}  // namespace sieve
