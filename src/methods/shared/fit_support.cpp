#include "methods/shared/fit_support.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "data/prepare/scaling.h"
#include "labelsieve/error.h"
#include "linalg/entries.h"
#include "linalg/paging.h"
#include "linalg/storage.h"

namespace sieve {
namespace {

void check_probabilities(const TrainingData& data) {
  const CandidateScores& probabilities = *data.probabilities;
  if (probabilities.rows() != data.rows() || probabilities.labels() != data.labels())
    throw Error(Failure::Data, "there are beliefs of " + std::to_string(probabilities.rows()) +
                                   " rows and " + std::to_string(probabilities.labels()) +
                                   " labels, but candidates of " + std::to_string(data.rows()) +
                                   " and " + std::to_string(data.labels()));
  for (std::size_t i = 0; i < data.rows(); ++i)
    probabilities.for_each(i, [&](std::size_t k, float probability) {
      if (!(probability >= 0 && probability <= 1))
        throw Error(Failure::Data, "how likely label " + std::to_string(k + 1) + " of row " +
                                       std::to_string(i + 1) +
                                       " is right must be between 0 and 1, not " +
                                       std::to_string(probability));
    });
}

void check_finite(const Features& x, const std::string& row) {
  if (is_mapped(x)) return;  // their reader has looked
  for (std::size_t i = 0; i < x.rows(); ++i)
    for_each_entry(x, i, [&](std::size_t j, float value) {
      if (!std::isfinite(value))
        throw Error(Failure::Data,
                    "feature " + std::to_string(j + 1) + " of " + row + " " +
                        std::to_string(i + 1) + " is not a finite number",
                    {}, "fill in missing values or leave those rows out");
    });
}

void check_training_data(const TrainingData& data) {
  if (data.votes && !data.probabilities)
    throw Error(Failure::Usage,
                "it is known who ticked what, and a method cannot weigh that by itself", {},
                "train() of labelsieve/pipeline.h weighs votes for any method; "
                "TrainingData::without_votes() gives what anybody ticked");
  if (data.rows() == 0 || data.labels() == 0)
    throw Error(Failure::Data, "there is nothing to learn from: no rows or no labels");
  if (data.features.rows() != data.rows())
    throw Error(Failure::Data, "there are features of " + std::to_string(data.features.rows()) +
                                   " rows, but candidates of " + std::to_string(data.rows()));
  if (data.features.cols() == 0)
    throw Error(Failure::Data, "the set has labels but no features to learn from");
  if (data.candidates.count() == 0)
    throw Error(Failure::Data, "no row has a candidate label", {},
                "check how the labels of the file are found");
  if (data.probabilities) check_probabilities(data);
  check_finite(data.features, "row");
  if (!data.unlabelled) return;
  if (data.unlabelled->cols() != data.features.cols())
    throw Error(Failure::Data,
                "rows without labels have " + std::to_string(data.unlabelled->cols()) +
                    " features, those with labels " + std::to_string(data.features.cols()));
  check_finite(*data.unlabelled, "row without labels");
}

}  // namespace

TrainingData stored_by_content(const TrainingData& data) {
  return {stored_by_content(data.features),
          data.candidates.share(),
          data.feature_names,
          data.label_names,
          data.votes,
          data.probabilities,
          data.recipe,
          data.weights,
          data.unlabelled};
}

TrainingData learnable(const TrainingData& data, RowWeights weights) {
  if (data.weights && weights == RowWeights::Refused)
    throw Error(
        Failure::Usage, "the method cannot weigh rows", {},
        "repeat rows (with_rows_repeated() of labelsieve/dataset.h), or use another method");
  check_training_data(data);
  return stored_by_content(data);
}

ModelState described_state(const std::string& method,
                           const std::map<std::string, std::string>& options,
                           const TrainingData& data, const FitOptions& fit) {
  ModelState state;
  state.method = method;
  state.options = options;
  state.feature_names = data.feature_names;
  state.label_names = data.label_names;
  state.features = data.features.cols();
  state.recipe = data.recipe;
  state.choices.seed = fit.seed;
  state.choices.rows = data.rows();
  state.choices.storage = data.features.is_sparse() ? RowStorage::Sparse : RowStorage::Dense;
  return state;
}

Error foreign_checkpoint() {
  return {Failure::Model,
          "the checkpoint belongs to another training",
          {},
          "resume with the same data, method, options and seed"};
}

FitRun::FitRun(const FitOptions& options)
    : own_pool_(1),
      pool_(options.threads != nullptr ? *options.threads : own_pool_),
      progress_(options.progress != nullptr ? *options.progress : silent_) {
  if (options.resume_from != nullptr) throw foreign_checkpoint();
}

void FitRun::update(std::size_t done, std::string_view note) {
  progress_.update(done, note);
  if (progress_.stop_requested()) throw Error(Failure::Interrupted, "stopped on request");
}

namespace {

constexpr std::size_t kManyFeatures = 4096;
constexpr std::size_t kRowsAtOnce = 1024;

}  // namespace

bool works_on_sparse_rows(const ModelState& state) {
  if (!state.choices.storage) return state.features > kManyFeatures;
  return *state.choices.storage == RowStorage::Sparse;
}

Features stored_for(const ModelState& state, const Features& x) {
  const bool sparse = works_on_sparse_rows(state);
  if (x.is_sparse() == sparse) return x;
  if (sparse) return x.to_sparse();
  return x.to_dense(std::numeric_limits<std::size_t>::max());
}

void for_each_block(const ModelState& state, const Features& x,
                    const std::function<void(std::size_t first, const Features& rows)>& use) {
  require_features(x, state.features);
  for (std::size_t first = 0; first < x.rows(); first += kRowsAtOnce)
    use(first, stored_for(state, x.slice(first, std::min(first + kRowsAtOnce, x.rows()))));
}

}  // namespace sieve
