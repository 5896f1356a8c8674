#pragma once

#include "labelsieve/pipeline.h"

namespace sieve {

// judge() by a learner where it is not known who ticked what, or does not count.
Judged judge_by_union(Dataset data, const Learner& learner, const JudgeRequest& request);

}  // namespace sieve
