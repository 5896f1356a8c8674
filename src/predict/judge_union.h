#pragma once

#include "labelsieve/judging.h"

namespace sieve {

// judge_out_of_fold() where it is not known who ticked what.
Judged judge_by_union(Dataset data, const Learner& learner, std::string judge, std::size_t folds,
                      const FitOptions& fit, const JudgeOptions& options);

}  // namespace sieve
