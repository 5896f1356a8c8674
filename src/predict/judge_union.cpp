#include "predict/judge_union.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "methods/shared/out_of_fold.h"

namespace sieve {
namespace {

constexpr double kLikely = 0.5;
constexpr std::size_t kMostMissing = 1'000'000;

double mean_noise(const CandidateScores& confidence, const LabelMatrix& candidates) {
  double sum = 0, count = 0;
  for (std::size_t row = 0; row < candidates.rows(); ++row)
    candidates.for_each(row, [&](std::size_t l) {
      sum += 1 - double{confidence(row, l)};
      count += 1;
    });
  return sum / std::max(count, 1.0);
}

// Wrong ticks that follow the features look right to the curves of fit_union(). How far to go by
// what the method itself believes: the further, the more noise it sees beyond what they find.
double weight_of_method(double by_method, double by_curves) {
  const double beyond = std::pow(std::max(by_method - by_curves, 0.0), 4);
  return beyond == 0 ? 0 : beyond / (beyond + std::pow(by_curves, 4));
}

CandidateScores mixed(const CandidateScores& curves, const CandidateScores& method, double weight,
                      const LabelMatrix& candidates) {
  CandidateScores out(candidates.share());
  std::vector<float> row_of(candidates.labels());
  for (std::size_t row = 0; row < candidates.rows(); ++row) {
    candidates.for_each(row, [&](std::size_t l) {
      row_of[l] = static_cast<float>((1 - weight) * double{curves(row, l)} +
                                     weight * double{method(row, l)});
    });
    out.set_row(row, row_of);
  }
  return out;
}

// The noise of labels as these confidences have it, and wider intervals where that is outside.
void move_noise(std::vector<UnionLabel>& labels, const CandidateScores& confidence,
                const LabelMatrix& candidates) {
  const std::vector<double> noise = estimated_noise(confidence, candidates);
  for (std::size_t l = 0; l < labels.size(); ++l) {
    if (std::isnan(noise[l])) continue;
    UnionLabel& label = labels[l];
    label.noise.value = std::clamp(noise[l], 1e-6, 1 - 1e-6);
    label.noise.low = std::min(label.noise.low, label.noise.value);
    label.noise.high = std::max(label.noise.high, label.noise.value);
    label.noise_at_most = std::max(label.noise_at_most, label.noise.value);
  }
}

}  // namespace

Judged judge_by_union(Dataset data, const Learner& learner, std::string judge, std::size_t folds,
                      const FitOptions& fit, const JudgeOptions& options) {
  ThreadPool alone(1);
  ThreadPool& pool = fit.threads != nullptr ? *fit.threads : alone;
  UnseenRows unseen = judge_unseen_rows(training_data(data), learner, folds, fit);
  unseen.scores = as_probabilities(std::move(unseen.scores));
  const LabelMatrix& ticked = data.candidates;
  UnionModel model =
      fit_union(ticked, unseen.scores, pool, {.missing = options.missing}, options.gold);
  CandidateScores confidence = union_confidence(model, ticked, unseen.scores, pool);
  UnionFindings found;
  if (options.missing > 0)
    found.missing = missing_labels(model, ticked, unseen.scores, pool, kMostMissing, kLikely);
  found.labels = std::move(model.labels);
  if (options.gold.empty()) {
    const double weight =
        weight_of_method(mean_noise(unseen.confidence, ticked), mean_noise(confidence, ticked));
    confidence = mixed(confidence, unseen.confidence, weight, ticked);
    move_noise(found.labels, confidence, ticked);
  }
  return {std::move(data),  std::move(confidence),
          std::move(judge), std::nullopt,
          std::move(found), options.keep_model ? std::move(unseen.model) : nullptr};
}

}  // namespace sieve
