#pragma once

#include <string>
#include <vector>

#include "labelsieve/pipeline.h"

namespace sieve {

// What a method may learn from where people voted, besides the union of their ticks.
struct VoteUse {
  std::string name;  // "majority", in a plan "majority+mlp"
  LearnFrom learn_from;
  Aggregation aggregation = Aggregation::HeldOut;  // of votes alone
};
const std::vector<VoteUse>& vote_uses();

// The learner of a plan: a method, or a use of votes and a method, "majority+mlp".
struct PlannedLearner {
  const VoteUse* votes = nullptr;  // null: all ticks
  std::string method;
};
// Error(Usage) naming the nearest use of votes. The method may not exist.
PlannedLearner parse_learner(const std::string& text);

}  // namespace sieve
