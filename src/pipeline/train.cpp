#include <algorithm>
#include <utility>

#include "base/stage_progress.h"
#include "labelsieve/error.h"
#include "labelsieve/options.h"
#include "labelsieve/pipeline.h"
#include "pipeline/judge_votes.h"

namespace sieve {
namespace {

TrainingData the_truth(const Dataset& data, const MethodInfo& method) {
  if (!data.truth)
    throw Error(Failure::Data,
                "the method '" + method.name +
                    "' is an oracle: it learns from the true labels, which this data does not have",
                {data.name, 0, 0}, "give them with " + term("truth"));
  TrainingData rows = training_data(data).without_votes();
  rows.candidates = data.truth->share();
  return rows;
}

struct Decided {
  std::vector<GoldCell> gold{}, others{};

  TrainingData applied_to(const TrainingData& rows) const {
    return as_decided(as_decided(rows, gold), others);
  }
};

// The labels that votes alone make likely.
TrainingData aggregated(const TrainingData& rows, const TrainRequest& request,
                        const Decided& decided) {
  ThreadPool alone(1);
  Matrix right = aggregate(*rows.votes, rows.labels(), request.aggregation,
                           request.fit.threads != nullptr ? *request.fit.threads : alone);
  for (const std::vector<GoldCell>* cells : {&decided.gold, &decided.others})
    for (const GoldCell& cell : *cells) right(cell.row, cell.label) = cell.on ? 1.0F : 0.0F;
  return with_likely_labels(rows, std::move(right));
}

// Only the training itself leaves checkpoints.
TrainingData weighed(const TrainingData& rows, const Learner& learner, const TrainRequest& request,
                     const Decided& decided) {
  try {
    return labels_by_votes(rows, learner, request.folds, request.fit, decided.gold, decided.others);
  } catch (const Error& error) {
    if (error.kind() != Failure::Interrupted) throw;
    throw Error(error.kind(),
                "stopped on request while the ticks were weighed, before the training itself: "
                "there is no checkpoint",
                {}, "begin again from the start");
  }
}

TrainingData learnt_from(const TrainingData& rows, const Learner& learner,
                         const TrainRequest& request, const Decided& decided) {
  if (!rows.votes || request.learn_from == LearnFrom::Union) return decided.applied_to(rows);
  return request.learn_from == LearnFrom::VotesAlone ? aggregated(rows, request, decided)
                                                     : weighed(rows, learner, request, decided);
}

// Each row to count by its weight.
TrainingData counted(TrainingData rows, const MethodInfo& method, std::span<const double> weights) {
  if (weights.empty()) return rows;
  if (method.weighs_rows) return with_weights(std::move(rows), weights);
  if (auto repeated = with_rows_repeated(std::move(rows), weights)) return *std::move(repeated);
  throw Error(Failure::Usage,
              "the method '" + method.name + "' cannot count rows by weights that are not whole",
              {},
              "give whole numbers: a row is learnt from that often; or use blend, forest, mlp, "
              "mlp-noise or pml-gan, which take any weights");
}

// Of the rows to learn from.
std::vector<double> weights_asked_for(const TrainRequest& request, const Dataset& data,
                                      bool weighs_votes) {
  if (request.weights.empty()) return {};
  if (weighs_votes)
    throw Error(Failure::Usage, "rows cannot be weighed where votes are", {},
                "leave out the weights, or learn from what anybody ticked");
  if (request.weights.size() != data.rows())
    throw Error(Failure::Data, "there are " + std::to_string(request.weights.size()) +
                                   " weights for " + std::to_string(data.rows()) + " rows");
  if (!request.rows) return {request.weights.begin(), request.weights.end()};
  std::vector<double> weights;
  for (const std::size_t row : *request.rows) weights.push_back(request.weights[row]);
  return weights;
}

// With the rows that have no labels.
TrainingData completed(TrainingData rows, const MethodInfo& method, const TrainRequest& request) {
  if (!request.unlabelled || request.unlabelled->rows() == 0) return rows;
  if (!method.uses_unlabelled)
    throw Error(Failure::Usage,
                "the method '" + method.name + "' cannot learn from rows without labels", {},
                "leave them out, or use blend");
  rows.unlabelled = request.unlabelled;
  return rows;
}

}  // namespace

Trained train(const Dataset& data, const TrainRequest& given) {
  Progress silent;
  StageProgress progress(given.fit.progress != nullptr ? *given.fit.progress : silent);
  TrainRequest request = given;
  request.fit.progress = &progress;
  const MethodInfo& method = method_info(request.method);
  const std::shared_ptr<const Learner> learner =
      learner_of(request.method, request.settings, request.learner);
  TrainingData rows = method.oracle ? the_truth(data, method) : training_data(data);
  Decided decided;
  if (!method.oracle) decided = {request.gold, request.decided};
  if (request.rows) {
    rows = rows.subset(*request.rows);
    for (std::vector<GoldCell>* cells : {&decided.gold, &decided.others})
      *cells = gold_among(*request.rows, data.rows(), *cells);
  }
  Trained trained;
  trained.candidates = rows.candidates.count();
  const std::vector<double> weights = weights_asked_for(
      request, data, rows.votes != nullptr && request.learn_from != LearnFrom::Union);
  if (rows.votes && request.learn_from == LearnFrom::VotesAndFeatures)
    trained.names_ignored = why_names_are_ignored(*rows.votes);
  if (rows.votes) progress.until(0.5);
  rows = counted(learnt_from(rows, *learner, request, decided), method, weights);
  trained.rows = rows.rows();
  if (rows.probabilities) trained.likely = rows.candidates.count();
  progress.until(1);
  rows = completed(std::move(rows), method, request);
  trained.model = learner->fit(rows, request.fit);
  return trained;
}

}  // namespace sieve
