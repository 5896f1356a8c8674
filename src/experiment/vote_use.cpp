#include "experiment/vote_use.h"

#include "base/named_rows.h"
#include "labelsieve/judging.h"

namespace sieve {
namespace {

constexpr std::size_t kFolds = 5;

template <Aggregation how>
TrainingData by_votes_alone(TrainingData ticked, const Learner&, const FitOptions& fit) {
  return with_likely_labels(ticked, aggregate(*ticked.votes, ticked.labels(), how, *fit.threads));
}

TrainingData by_votes_and_features(TrainingData ticked, const Learner& learner,
                                   const FitOptions& fit) {
  return labels_by_votes(ticked, learner, kFolds, fit);
}

}  // namespace

const std::vector<VoteUse>& vote_uses() {
  static const std::vector<VoteUse> table = {
      {"majority", by_votes_alone<Aggregation::Majority>},
      {"dawid-skene", by_votes_alone<Aggregation::TwoCoins>},
      {"people", by_votes_alone<Aggregation::HeldOut>},
      {"joint", by_votes_and_features},
  };
  return table;
}

PlannedLearner parse_learner(const std::string& text) {
  const std::size_t plus = text.find('+');
  if (plus == std::string::npos) return {nullptr, text};
  return {&row_named(vote_uses(), text.substr(0, plus), "use of votes"), text.substr(plus + 1)};
}

}  // namespace sieve
