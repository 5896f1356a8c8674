#include "labelsieve/error.h"
#include "labelsieve/metrics.h"

namespace sieve {
namespace {

template <class T>
struct Parts {
  const BasicMatrix<T>* scores;
  const LabelMatrix* decisions;
  const LabelMatrix* candidates;
  const LabelMatrix& truth;
  const MetricOptions& options;
};

enum class Needs { Scores, Decisions, ScoresAndCandidates };

template <class T>
bool has(const Parts<T>& parts, Needs needs) {
  if (needs == Needs::Decisions) return parts.decisions != nullptr;
  return parts.scores != nullptr && (needs == Needs::Scores || parts.candidates != nullptr);
}

template <class T>
struct Entry {
  MetricInfo info;
  Needs needs;
  Measured (*measure)(const Parts<T>&);
};

template <class T>
const std::vector<Entry<T>>& table() {
  using P = const Parts<T>&;
  constexpr Direction kLow = Direction::LowerIsBetter, kHigh = Direction::HigherIsBetter;
  static const std::vector<Entry<T>> entries = {
      {{"ranking-loss", "Ranking loss", kLow,
        "share of (relevant, irrelevant) label pairs in the wrong order"},
       Needs::Scores,
       [](P p) { return ranking_loss(*p.scores, p.truth, p.options); }},
      {{"one-error", "One error", kLow, "share of rows whose top label is not relevant"},
       Needs::Scores,
       [](P p) { return one_error(*p.scores, p.truth, p.options); }},
      {{"coverage", "Coverage", kLow,
        "depth to go down the ranking to meet all relevant labels, minus 1, over the labels"},
       Needs::Scores,
       [](P p) { return coverage(*p.scores, p.truth, p.options); }},
      {{"average-precision", "Average precision", kHigh,
        "share of relevant labels among those ranked at or above each relevant label"},
       Needs::Scores,
       [](P p) { return average_precision(*p.scores, p.truth, p.options); }},
      {{"macro-auc", "Macro AUC", kHigh, "area under the ROC curve, mean over labels"},
       Needs::Scores,
       [](P p) { return macro_auc(*p.scores, p.truth); }},
      {{"micro-auc", "Micro AUC", kHigh, "area under the ROC curve over all cells pooled"},
       Needs::Scores,
       [](P p) { return micro_auc(*p.scores, p.truth); }},
      {{"hamming-loss", "Hamming loss", kLow, "share of cells decided wrongly"},
       Needs::Decisions,
       [](P p) { return hamming_loss(*p.decisions, p.truth); }},
      {{"exact-match", "Exact match", kHigh, "share of rows decided without any mistake"},
       Needs::Decisions,
       [](P p) { return exact_match(*p.decisions, p.truth); }},
      {{"micro-f1", "Micro F1", kHigh, "F1 over all cells pooled"},
       Needs::Decisions,
       [](P p) { return micro_f1(*p.decisions, p.truth, p.options); }},
      {{"macro-f1", "Macro F1", kHigh, "F1, mean over labels"},
       Needs::Decisions,
       [](P p) { return macro_f1(*p.decisions, p.truth, p.options); }},
      {{"sample-f1", "Sample F1", kHigh, "F1, mean over rows"},
       Needs::Decisions,
       [](P p) { return sample_f1(*p.decisions, p.truth, p.options); }},
      {{"cleaning-auc", "Cleaning AUC", kHigh,
        "area under the ROC curve over candidate cells: right labels above noise"},
       Needs::ScoresAndCandidates,
       [](P p) { return cleaning_auc(*p.scores, *p.candidates, p.truth); }},
      {{"cleaning-average-precision", "Cleaning average precision", kHigh,
        "area under precision and recall over candidate cells"},
       Needs::ScoresAndCandidates,
       [](P p) { return cleaning_average_precision(*p.scores, *p.candidates, p.truth); }},
  };
  return entries;
}

}  // namespace

const std::vector<MetricInfo>& all_metrics() {
  static const std::vector<MetricInfo> metrics = [] {
    std::vector<MetricInfo> infos;
    for (const auto& entry : table<float>()) infos.push_back(entry.info);
    return infos;
  }();
  return metrics;
}

namespace {

template <class T>
std::vector<NamedMeasure> measured(const Parts<T>& parts) {
  std::vector<NamedMeasure> results;
  for (const auto& entry : table<T>())
    if (has(parts, entry.needs)) results.push_back({entry.info, entry.measure(parts)});
  return results;
}

}  // namespace

std::vector<NamedMeasure> evaluate(const LabelMatrix& truth, const EvaluateRequest& request) {
  const auto& [scores, wide_scores, decisions, candidates, options] = request;
  if (scores != nullptr && wide_scores != nullptr)
    throw Error(Failure::Usage, "scores of both precisions", {}, "give one of them");
  if (wide_scores != nullptr)
    return measured<double>({wide_scores, decisions, candidates, truth, options});
  return measured<float>({scores, decisions, candidates, truth, options});
}

}  // namespace sieve
