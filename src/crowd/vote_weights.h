#pragma once

#include <span>
#include <vector>

#include "labelsieve/crowd.h"

namespace sieve {

// How much each annotation counts, where some annotators copy others or are declared a group.
struct VoteWeights {
  std::vector<float> weights;    // by annotation; empty: each counts 1
  std::vector<AlikePair> alike;  // pairs that agree more than honest ones, the most alike first
};
VoteWeights weigh_votes(const Votes& votes, std::size_t labels, const CrowdOptions& options);

}  // namespace sieve
