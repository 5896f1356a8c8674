#include "judging.h"

#include <numeric>
#include <utility>

#include "labelsieve/clean.h"
#include "labelsieve/feature_match.h"
#include "reading.h"

namespace sieve {

void order_labels(Dataset& data, const std::vector<std::string>& names) {
  const std::vector<std::size_t> columns = match_columns(names, data.label_names, data.name);
  data.candidates = data.candidates.select_labels(columns);
  if (data.truth) data.truth = data.truth->select_labels(columns);
  data.label_names = names;
}

Features features_for(const Model& model, const Dataset& data) {
  const FeatureMatch match = match_features(model.state(), data.features, data.feature_names);
  return matched_features(match, model.state(), data.features.clone());
}

Judged judge_in_sample(Dataset data, const Model& model, std::string judge, ThreadPool& pool) {
  order_labels(data, model.state().label_names);
  TrainingData rows;
  rows.features = features_for(model, data);
  rows.candidates = data.candidates.clone();
  rows.feature_names = model.state().feature_names;
  rows.label_names = data.label_names;
  CandidateScores confidence(data.candidates.clone());
  std::vector<std::size_t> all(data.rows());
  std::iota(all.begin(), all.end(), std::size_t{0});
  judge_rows(model, rows, all, pool, confidence);
  return {std::move(data), std::move(confidence), std::move(judge)};
}

}  // namespace sieve
