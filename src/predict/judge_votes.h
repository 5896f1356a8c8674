#pragma once

#include "labelsieve/judging.h"

namespace sieve {

// judge_out_of_fold() where it is known who ticked what.
Judged judge_by_votes(Dataset data, const Learner& learner, std::string judge, std::size_t folds,
                      const FitOptions& fit, std::span<const GoldCell> gold);

}  // namespace sieve
