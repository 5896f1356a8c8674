#include <algorithm>
#include <numeric>
#include <utility>

#include "labelsieve/data_io.h"
#include "labelsieve/error.h"
#include "labelsieve/pipeline.h"
#include "labelsieve/predict.h"
#include "pipeline/judge_union.h"
#include "pipeline/judge_votes.h"

namespace sieve {
namespace {

void check_request(const JudgeRequest& request) {
  const int judges = static_cast<int>(!request.method.empty()) +
                     static_cast<int>(request.model != nullptr) +
                     static_cast<int>(request.scores != nullptr);
  if (judges > 1)
    throw Error(Failure::Usage, "a method, a finished model and scores cannot judge together", {},
                "leave all but one of them out");
  if (!request.method.empty() && method_info(request.method).oracle)
    throw Error(Failure::Usage, "the method '" + request.method +
                                    "' is an oracle: it would need the truth to clean");
}

Judged judge_by_model(Dataset data, const JudgeRequest& request, ThreadPool& pool) {
  TrainingData rows;
  rows.features = features_for(*request.model, data);
  rows.candidates = data.candidates.share();
  rows.feature_names = request.model->state().feature_names;
  rows.label_names = data.label_names;
  CandidateScores probabilities(data.candidates.share());
  std::vector<std::size_t> all(data.rows());
  std::iota(all.begin(), all.end(), std::size_t{0});
  judge_rows(*request.model, rows, all, pool, probabilities);
  return {std::move(data), std::move(probabilities), request.name};
}

Judged judge_by_scores(Dataset data, const JudgeRequest& request) {
  CandidateScores probabilities(*request.scores, data.candidates.share());
  return {std::move(data), std::move(probabilities), request.name};
}

Judged judge_with_votes(Dataset data, const JudgeRequest& request, const Learner* learner,
                        ThreadPool& pool) {
  if (learner != nullptr) return judge_by_votes(std::move(data), *learner, request, pool);
  if (request.scores != nullptr)
    return judge_by_votes(std::move(data), request.scores, request, pool);
  if (request.model == nullptr) return judge_by_votes(std::move(data), nullptr, request, pool);
  const Matrix scores = predict(*request.model, data, pool).scores;
  return judge_by_votes(std::move(data), &scores, request, pool);
}

Judged judge_without_votes(Dataset data, const JudgeRequest& request, const Learner* learner,
                           ThreadPool& pool) {
  if (learner != nullptr) return judge_by_union(std::move(data), *learner, request);
  if (request.model != nullptr) return judge_by_model(std::move(data), request, pool);
  if (request.scores != nullptr) return judge_by_scores(std::move(data), request);
  return judge_by_counts(std::move(data));
}

// For a consensus, nothing is learnt from gold.
void compare_with_gold(Judged& judged, std::span<const GoldCell> gold) {
  const bool learnt =
      judged.crowd ? judged.crowd->truth == TruthMeans::Expert : judged.union_findings.has_value();
  if (!learnt || gold.empty()) return;
  judged.gold_cells.assign(judged.data.labels(), 0);
  judged.gold_shifts.assign(judged.data.labels(), 0);
  for (const GoldCell& cell : gold) {
    if (!judged.data.candidates.get(cell.row, cell.label)) continue;
    ++judged.gold_cells[cell.label];
    judged.gold_shifts[cell.label] +=
        static_cast<double>(judged.probabilities(cell.row, cell.label)) - (cell.on ? 1 : 0);
  }
  for (std::size_t l = 0; l < judged.gold_cells.size(); ++l)
    if (judged.gold_cells[l] > 0)
      judged.gold_shifts[l] /= static_cast<double>(judged.gold_cells[l]);
}

}  // namespace

Judged judge(Dataset data, const JudgeRequest& request) {
  check_request(request);
  const std::shared_ptr<const Learner> learner =
      request.method.empty() ? nullptr
                             : learner_of(request.method, request.settings, request.learner);
  ThreadPool alone(1);
  ThreadPool& pool = request.fit.threads != nullptr ? *request.fit.threads : alone;
  if (request.model != nullptr) order_labels(data, request.model->state().label_names);
  const std::string ignored = data.votes ? why_names_are_ignored(*data.votes) : "";
  const bool votes = request.use_votes && data.votes && ignored.empty();
  Judged judged = votes ? judge_with_votes(std::move(data), request, learner.get(), pool)
                        : judge_without_votes(std::move(data), request, learner.get(), pool);
  judged.names_ignored = ignored;
  compare_with_gold(judged, request.gold);
  judged.decided = !request.gold.empty();
  return judged;
}

}  // namespace sieve
