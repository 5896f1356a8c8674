#include "pipeline/judge_votes.h"

#include <algorithm>
#include <utility>

#include "base/format_text.h"
#include "base/stage_progress.h"
#include "labelsieve/error.h"
#include "labelsieve/pipeline.h"

namespace sieve {
namespace {

constexpr float kLikely = 0.5F;

// The votes of a data set and what a predictor says of rows it has not seen, put together.
class VotesAndScores {
 public:
  // Without a learner, by regressions.
  VotesAndScores(const TrainingData& data, const Learner* learner, std::size_t folds,
                 const FitOptions& fit, std::span<const GoldCell> gold)
      : alone_(1),
        pool_(fit.threads != nullptr ? *fit.threads : alone_),
        votes_(*data.votes),
        labels_(data.labels()),
        progress_(fit.progress != nullptr ? *fit.progress : silent_),
        judged_(judged_from_votes(data, learner, folds, fit)),
        model_(with_gold(weigh_votes(view(), 1), view(), gold)) {}

  CrowdView view() const {
    return {&votes_, labels_, judged_.scores.rows() > 0 ? &judged_.scores : nullptr};
  }
  const OutOfFold& judged() const { return judged_; }
  const CrowdModel& model() const { return model_; }
  ThreadPool& pool() { return pool_; }

 private:
  // Takes the work up to this share of it.
  CrowdModel weigh_votes(const CrowdView& votes, double until) {
    progress_.until(until);
    progress_.begin("weighing votes", 0);
    return fit_crowd(votes, pool_);
  }

  // By models fitted on how likely the votes alone make each label, or on how strong; by none where
  // they make hardly any label likely, or a single row has votes.
  OutOfFold judged_from_votes(const TrainingData& data, const Learner* learner, std::size_t folds,
                              const FitOptions& fit) {
    const CrowdView alone{&votes_, labels_, nullptr};
    const CrowdModel crowd = weigh_votes(alone, learner != nullptr ? 0.1 : 0.4);
    const std::vector<std::size_t> learn = rows_looked_at(votes_);
    if (learn.size() < 2) return {};
    FitOptions own = fit;
    own.progress = &progress_;
    progress_.until(learner != nullptr ? 0.9 : 0.6);
    OutOfFold judged{.folds = folds};
    if (learner == nullptr)
      judged.scores = linear_scores(data, learn, crowd_strengths(crowd, alone, pool_), folds, own);
    else {
      const TrainingData believed =
          with_probabilities(data, crowd_probabilities(crowd, alone, pool_));
      if (believed.candidates.count() < folds) return {};
      judged = out_of_fold_scores(believed, learn, *learner, folds, own);
    }
    judged.scores = as_probabilities(std::move(judged.scores));
    return judged;
  }

  ThreadPool alone_;
  ThreadPool& pool_;
  const Votes& votes_;
  std::size_t labels_;
  Progress silent_;
  StageProgress progress_;
  OutOfFold judged_;
  CrowdModel model_;
};

TruthMeans truth_of(const JudgeRequest& request) {
  const bool decided = !request.gold.empty();
  if (request.truth == TruthMeans::Expert && !decided)
    throw Error(Failure::Usage, "votes alone do not say what an expert would decide", {},
                "give cells that an expert has decided");
  return request.truth.value_or(decided ? TruthMeans::Expert : TruthMeans::Consensus);
}

// Decided cells move the line only where the truth is that of an expert.
std::span<const GoldCell> gold_of(const JudgeRequest& request) {
  return truth_of(request) == TruthMeans::Expert ? std::span<const GoldCell>(request.gold)
                                                 : std::span<const GoldCell>();
}

Judged judged_by(Dataset data, std::string judge, const CrowdModel& model, const CrowdView& view,
                 const JudgeRequest& request, ThreadPool& pool) {
  CandidateScores probabilities = crowd_candidate_probabilities(model, view, data.candidates, pool);
  CrowdFindings found{
      label_qualities(model, view, pool), annotator_qualities(model, view, pool),
      missing_labels(model, view, pool, request.most_missing, request.missing_from),
      request.check_votes ? check_by_held_out_annotators(model, view, pool) : HeldOutCheck()};
  found.truth = truth_of(request);
  found.alike.assign(model.alike().begin(), model.alike().end());
  for (std::size_t l = 0; l < model.labels(); ++l)
    if (!model.weights(l).names) found.nameless_labels.push_back(l);
  found.groups = overlap_of(*view.votes).groups;
  return {std::move(data), std::move(probabilities), std::move(judge), std::move(found)};
}

// Ticks count for no more than they are: a witness or two, of unknown habits.
CandidateScores by_counts(const Dataset& data) {
  CandidateScores probabilities(data.candidates.share());
  std::vector<float> row_of(data.labels());
  for (std::size_t row = 0; row < data.rows(); ++row) {
    std::ranges::fill(row_of, 1.0F);
    const Votes& votes = *data.votes;
    for (std::size_t annotation = votes.first_annotation(row);
         annotation < votes.first_annotation(row + 1); ++annotation)
      for (const std::uint32_t label : votes.ticked(annotation)) row_of[label] += 1;
    for (std::size_t l = 0; l < row_of.size(); ++l)
      row_of[l] /= static_cast<float>(votes.votes_on(row, l) + 2);
    probabilities.set_row(row, row_of);
  }
  return probabilities;
}

TrainingData only_looked_at(TrainingData data, const Votes& votes) {
  const std::vector<std::size_t> looked = rows_looked_at(votes);
  return looked.size() == data.rows() ? std::move(data) : data.subset(looked);
}

void need_votes(const std::shared_ptr<const Votes>& votes) {
  if (votes == nullptr) throw Error(Failure::Usage, "it is not known who ticked what");
}

}  // namespace

std::vector<std::size_t> rows_looked_at(const Votes& votes) {
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < votes.rows(); ++i)
    if (votes.annotations(i) > 0) rows.push_back(i);
  return rows;
}

std::vector<GoldCell> gold_among(std::span<const std::size_t> rows, std::size_t all,
                                 std::span<const GoldCell> gold) {
  std::vector<std::size_t> place(all, all);
  for (std::size_t k = 0; k < rows.size(); ++k) place[rows[k]] = k;
  std::vector<GoldCell> cells;
  for (GoldCell cell : gold)
    if (place[cell.row] != all) {
      cell.row = static_cast<std::uint32_t>(place[cell.row]);
      cells.push_back(cell);
    }
  return cells;
}

std::string judge_name(const OutOfFold& judged) {
  if (judged.model == nullptr) return "a regression, " + count_text(judged.folds, "fold");
  const std::string& method = judged.model->state().method;
  return judged.folds == 0 ? method + ", out of fold"
                           : method + ", " + count_text(judged.folds, "fold");
}

Judged judge_by_votes(Dataset data, const Learner& learner, const JudgeRequest& request,
                      ThreadPool& pool) {
  const VotesAndScores all(training_data(data), request.regress ? nullptr : &learner, request.folds,
                           request.fit, gold_of(request));
  const std::string judge =
      all.judged().scores.rows() == 0 ? "the votes" : "the votes and " + judge_name(all.judged());
  Judged judged = judged_by(std::move(data), judge, all.model(), all.view(), request, pool);
  if (request.keep_model) judged.model = all.judged().model;
  return judged;
}

Judged judge_by_votes(Dataset data, const Matrix* scores, const JudgeRequest& request,
                      ThreadPool& pool) {
  const std::shared_ptr<const Votes> votes = data.votes;
  const CrowdView view{votes.get(), data.labels(), scores};
  const CrowdModel model = with_gold(fit_crowd(view, pool), view, gold_of(request));
  return judged_by(std::move(data),
                   scores != nullptr ? "the votes and " + request.name : "the votes", model, view,
                   request, pool);
}

Judged judge_by_counts(Dataset data) {
  need_votes(data.votes);
  CandidateScores probabilities = by_counts(data);
  return {std::move(data), std::move(probabilities), "how many ticked it"};
}

TrainingData with_likely_labels(const TrainingData& data, Matrix right) {
  for (std::size_t i = 0; i < right.rows(); ++i)
    for (float& likely : right.row(i)) likely = likely >= kLikely ? 1.0F : 0.0F;
  return with_probabilities(data, right);
}

TrainingData as_decided(const TrainingData& data, std::span<const GoldCell> gold) {
  TrainingData decided = data.without_votes();
  if (gold.empty()) return decided;
  decided.candidates = data.candidates.clone();
  for (const GoldCell& cell : gold) decided.candidates.set(cell.row, cell.label, cell.on);
  return decided;
}

TrainingData labels_by_votes(const TrainingData& data, const Learner& learner, std::size_t folds,
                             const FitOptions& fit, std::span<const GoldCell> gold,
                             std::span<const GoldCell> decided) {
  need_votes(data.votes);
  if (!overlap_of(*data.votes).identifies_annotators())
    return only_looked_at(as_decided(as_decided(data, gold), decided), *data.votes);
  VotesAndScores all(data, &learner, folds, fit, gold);
  Matrix probabilities = crowd_probabilities(all.model(), all.view(), all.pool());
  for (const auto cells : {gold, decided})
    for (const GoldCell& cell : cells) probabilities(cell.row, cell.label) = cell.on ? 1.0F : 0.0F;
  return only_looked_at(with_probabilities(data, probabilities), *data.votes);
}

void believe_votes(AuditSubject& subject, ThreadPool& pool) {
  const Dataset& data = *subject.data;
  if (!data.votes || !why_names_are_ignored(*data.votes).empty()) return;
  Judged judged = judge(data.clone(), {.check_votes = false, .fit = {.threads = &pool}});
  subject.of_candidates = std::move(judged.probabilities);
  subject.probabilities_from = "votes";
}

}  // namespace sieve
