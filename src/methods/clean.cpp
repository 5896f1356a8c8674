#include "labelsieve/clean.h"

#include <algorithm>
#include <limits>
#include <string>
#include <tuple>

#include "labelsieve/error.h"

namespace sieve {
namespace {

// Says in which fold the stages of a fit are.
class FoldProgress final : public Progress {
 public:
  FoldProgress(Progress& below, std::size_t fold, std::size_t folds)
      : below_(below), prefix_("fold " + std::to_string(fold) + " of " + std::to_string(folds)) {}
  void begin(std::string_view stage, std::size_t total) override {
    below_.begin(prefix_ + ", " + std::string(stage), total);
  }
  void update(std::size_t done, std::string_view note) override { below_.update(done, note); }
  void end() override { below_.end(); }
  bool stop_requested() const override { return below_.stop_requested(); }

 private:
  Progress& below_;
  std::string prefix_;
};

TrainingData rows_of(const TrainingData& data, const std::vector<std::size_t>& rows) {
  return {data.features.select_rows(rows), data.candidates.select_rows(rows), data.feature_names,
          data.label_names};
}

}  // namespace

Matrix out_of_fold_confidence(const TrainingData& data, const Learner& learner, std::size_t folds,
                              const FitOptions& fit) {
  if (folds < 2 || folds > data.rows())
    throw Error(Failure::Usage,
                std::to_string(folds) + " folds for " + std::to_string(data.rows()) + " rows", {},
                "there must be at least 2 folds and a row in each");
  ThreadPool alone(1);
  ThreadPool& pool = fit.threads != nullptr ? *fit.threads : alone;
  Progress silent;
  Matrix confidence(data.rows(), data.labels());
  const auto parts = folds_stratified(data.candidates, folds, fit.seed);
  for (std::size_t f = 0; f < parts.size(); ++f) {
    FoldProgress progress(fit.progress != nullptr ? *fit.progress : silent, f + 1, folds);
    const Split split = split_of_fold(parts, f);
    const std::unique_ptr<Model> model =
        learner.fit(rows_of(data, split.train),
                    {.seed = fit.seed, .threads = &pool, .progress = &progress, .on_epoch = {}});
    const Matrix judged = model->confidence(rows_of(data, split.test), pool);
    for (std::size_t i = 0; i < split.test.size(); ++i)
      std::ranges::copy(judged.row(i), confidence.row(split.test[i]).begin());
  }
  return confidence;
}

std::vector<JudgedCandidate> ranked_candidates(const Matrix& confidence,
                                               const LabelMatrix& candidates) {
  std::vector<JudgedCandidate> ranked;
  for (std::size_t i = 0; i < candidates.rows(); ++i)
    candidates.for_each(i, [&](std::size_t k) { ranked.push_back({i, k, confidence(i, k)}); });
  std::ranges::sort(ranked, {}, [](const JudgedCandidate& one) {
    return std::tuple(one.confidence, one.row, one.label);
  });
  return ranked;
}

std::vector<double> estimated_noise(const Matrix& confidence, const LabelMatrix& candidates) {
  std::vector<double> sums(candidates.labels());
  for (std::size_t i = 0; i < candidates.rows(); ++i)
    candidates.for_each(i, [&](std::size_t k) { sums[k] += 1.0 - double{confidence(i, k)}; });
  const std::vector<std::size_t> counts = candidates.label_counts();
  for (std::size_t k = 0; k < sums.size(); ++k)
    sums[k] = counts[k] == 0 ? std::numeric_limits<double>::quiet_NaN()
                             : sums[k] / static_cast<double>(counts[k]);
  return sums;
}

CleanedLabels remove_suspects(const Matrix& confidence, const LabelMatrix& candidates,
                              double threshold) {
  CleanedLabels out{candidates.clone()};
  for (std::size_t i = 0; i < candidates.rows(); ++i) {
    if (candidates.count(i) == 0) continue;
    std::size_t best = candidates.labels();
    candidates.for_each(i, [&](std::size_t k) {
      if (best == candidates.labels() || confidence(i, k) > confidence(i, best)) best = k;
      if (double{confidence(i, k)} < threshold) out.kept.set(i, k, false);
    });
    if (out.kept.count(i) == 0) {
      out.kept.set(i, best);
      ++out.rescued_rows;
    }
  }
  out.removed = candidates.count() - out.kept.count();
  return out;
}

}  // namespace sieve
