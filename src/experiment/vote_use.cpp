#include "experiment/vote_use.h"

#include "base/named_rows.h"

namespace sieve {
const std::vector<VoteUse>& vote_uses() {
  static const std::vector<VoteUse> table = {
      {"majority", LearnFrom::VotesAlone, Aggregation::Majority},
      {"dawid-skene", LearnFrom::VotesAlone, Aggregation::TwoCoins},
      {"people", LearnFrom::VotesAlone, Aggregation::HeldOut},
      {"joint", LearnFrom::VotesAndFeatures},
  };
  return table;
}

PlannedLearner parse_learner(const std::string& text) {
  const std::size_t plus = text.find('+');
  if (plus == std::string::npos) return {nullptr, text};
  return {&row_named(vote_uses(), text.substr(0, plus), "use of votes"), text.substr(plus + 1)};
}

}  // namespace sieve
