#include "predict/judge_votes.h"

#include <algorithm>
#include <utility>

#include "labelsieve/error.h"

namespace sieve {
namespace {

constexpr float kLikely = 0.5F;
constexpr std::size_t kMostMissing = 1'000'000;

std::vector<std::size_t> rows_looked_at(const Votes& votes) {
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < votes.rows(); ++i)
    if (votes.looks(i) > 0) rows.push_back(i);
  return rows;
}

// The votes of a data set and what a predictor says of rows it has not seen, put together.
class VotesAndScores {
 public:
  VotesAndScores(const TrainingData& data, const Learner& learner, std::size_t folds,
                 const FitOptions& fit, std::span<const GoldCell> gold)
      : alone_(1),
        pool_(fit.threads != nullptr ? *fit.threads : alone_),
        votes_(*data.votes),
        labels_(data.labels()),
        scores_(scores_from_votes(data, learner, folds, fit)),
        model_(with_gold(fit_crowd(view(), pool_), view(), gold)) {}

  CrowdView view() const { return {&votes_, labels_, &scores_}; }
  const CrowdModel& model() const { return model_; }
  ThreadPool& pool() { return pool_; }

 private:
  // By models fitted on the labels that the votes alone make likely. Votes alone tell better which
  // labels are right than how many are: from many small doubts a model would learn that many are.
  Matrix scores_from_votes(const TrainingData& data, const Learner& learner, std::size_t folds,
                           const FitOptions& fit) {
    const CrowdView alone{&votes_, labels_, nullptr};
    const CrowdModel crowd = fit_crowd(alone, pool_);
    const TrainingData believed = with_likely_labels(data, crowd_posterior(crowd, alone, pool_));
    return as_probabilities(
        out_of_fold_scores(believed, rows_looked_at(votes_), learner, folds, fit));
  }

  ThreadPool alone_;
  ThreadPool& pool_;
  const Votes& votes_;
  std::size_t labels_;
  Matrix scores_;
  CrowdModel model_;
};

Judged judged_by(Dataset data, std::string judge, const CrowdModel& model, const CrowdView& view,
                 ThreadPool& pool) {
  CandidateScores confidence = crowd_confidence(model, view, data.candidates, pool);
  CrowdFindings found{label_qualities(model, view, pool), person_qualities(model, view, pool),
                      missing_labels(model, view, pool, kMostMissing, kLikely),
                      check_by_held_out_people(model, view, pool)};
  return {std::move(data), std::move(confidence), std::move(judge), std::move(found)};
}

void need_votes(const std::shared_ptr<const Votes>& votes) {
  if (votes == nullptr) throw Error(Failure::Usage, "it is not known who ticked what");
}

}  // namespace

Judged judge_by_votes(Dataset data, const Learner& learner, std::string judge, std::size_t folds,
                      const FitOptions& fit, std::span<const GoldCell> gold) {
  VotesAndScores all(training_data(data), learner, folds, fit, gold);
  return judged_by(std::move(data), "the votes and " + judge, all.model(), all.view(), all.pool());
}

Judged judge_by_votes_alone(Dataset data, ThreadPool& pool) {
  need_votes(data.votes);
  const std::shared_ptr<const Votes> votes = data.votes;
  const CrowdView view{votes.get(), data.labels(), nullptr};
  return judged_by(std::move(data), "the votes", fit_crowd(view, pool), view, pool);
}

TrainingData with_likely_labels(const TrainingData& data, Matrix right) {
  for (std::size_t i = 0; i < right.rows(); ++i)
    for (float& likely : right.row(i)) likely = likely >= kLikely ? 1.0F : 0.0F;
  return with_beliefs(data, right);
}

TrainingData labels_by_votes(const TrainingData& data, const Learner& learner, std::size_t folds,
                             const FitOptions& fit, std::span<const GoldCell> gold) {
  need_votes(data.votes);
  VotesAndScores all(data, learner, folds, fit, gold);
  Matrix posterior = crowd_posterior(all.model(), all.view(), all.pool());
  for (const GoldCell& cell : gold) posterior(cell.row, cell.label) = cell.on ? 1.0F : 0.0F;
  TrainingData believed = with_beliefs(data, posterior);
  const std::vector<std::size_t> looked = rows_looked_at(*data.votes);
  return looked.size() == data.rows() ? std::move(believed) : believed.subset(looked);
}

}  // namespace sieve
