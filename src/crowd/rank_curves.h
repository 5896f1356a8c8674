#pragma once

#include "crowd/crowd_members.h"

namespace sieve {

// Within a label, ticked cells are ranked by both members alike; the j-th cell of the ranking gets
// the j-th smallest of the probabilities that the mixture gives.
void set_rank_curves(CrowdMembers& members, const Votes& votes, ThreadPool& pool);

}  // namespace sieve
