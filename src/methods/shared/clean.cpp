#include "labelsieve/clean.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <numeric>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include "base/stage_progress.h"
#include "labelsieve/error.h"
#include "linalg/paging.h"
#include "methods/shared/out_of_fold.h"

namespace sieve {
namespace {

// What one fit says of unseen rows is held for all of them: for more cells, folds need less memory.
constexpr std::size_t kMostCellsInOneFit = std::size_t{1} << 26;
constexpr std::size_t kJudgedAtOnce = kWindowRows / 4;  // rows of a fold lie apart

// Fits models that each have not seen some of the rows. all(model) is asked first, of a model that
// judged every row unseen, and says whether that was enough; otherwise some(model, rows) is called
// for each fold.
template <class All, class Some>
void fit_out_of_fold(const TrainingData& data, const Learner& learner, std::size_t folds,
                     const FitOptions& fit, ThreadPool& pool, All&& all, Some&& some) {
  if (folds < 2 || folds > data.rows())
    throw Error(Failure::Usage,
                std::to_string(folds) + " folds for " + std::to_string(data.rows()) + " rows", {},
                "there must be at least 2 folds and a row in each");
  std::unique_ptr<Learner> in_one_fit;
  if (data.rows() <= kMostCellsInOneFit / std::max<std::size_t>(data.labels(), 1))
    in_one_fit = learner.judging(folds);
  const Learner& first = in_one_fit != nullptr ? *in_one_fit : learner;
  if (first.judges_unseen_rows()) {
    const std::shared_ptr<const Model> model = first.fit(
        data, {.seed = fit.seed, .threads = &pool, .progress = fit.progress, .on_epoch = {}});
    if (all(model)) return;
  }
  const std::unique_ptr<Learner> settled = learner.settled(
      data, {.seed = fit.seed, .threads = &pool, .progress = fit.progress, .on_epoch = {}});
  const Learner& judge = settled != nullptr ? *settled : learner;
  Progress silent;
  const auto parts = folds_stratified(data.candidates, folds, fit.seed);
  for (std::size_t f = 0; f < parts.size(); ++f) {
    StageProgress progress(fit.progress != nullptr ? *fit.progress : silent,
                           "fold " + std::to_string(f + 1) + " of " + std::to_string(folds));
    const std::vector<std::size_t> others = split_of_fold(parts, f).train;
    const std::shared_ptr<const Model> model =
        judge.fit(data.subset(others),
                  {.seed = fit.seed, .threads = &pool, .progress = &progress, .on_epoch = {}});
    some(model, parts[f]);
  }
}

// Takes the scores of the given rows down, a window at a time.
void score_rows(const Model& model, const TrainingData& data, std::span<const std::size_t> rows,
                ThreadPool& pool, Matrix& into) {
  for (std::size_t first = 0; first < rows.size(); first += kJudgedAtOnce) {
    const auto window = rows.subspan(first, std::min(kJudgedAtOnce, rows.size() - first));
    const Matrix scores = model.scores(data.features.subset(window), pool);
    for (std::size_t i = 0; i < window.size(); ++i)
      std::ranges::copy(scores.row(i), into.row(window[i]).begin());
    give_back(data.features);
  }
}

}  // namespace

void judge_rows(const Model& model, const TrainingData& data, std::span<const std::size_t> rows,
                ThreadPool& pool, CandidateScores& into) {
  for (std::size_t first = 0; first < rows.size(); first += kJudgedAtOnce) {
    const auto window = rows.subspan(first, std::min(kJudgedAtOnce, rows.size() - first));
    const Matrix judged = model.confidence(data.subset(window), pool);
    for (std::size_t i = 0; i < window.size(); ++i) into.set_row(window[i], judged.row(i));
    give_back(data.features);
  }
}

namespace {

// False if the model has not judged rows it did not see.
bool take_unseen(const Model& model, const LabelMatrix& candidates, CandidateScores& confidence) {
  const Matrix unseen = model.unseen_confidence(candidates);
  for (std::size_t i = 0; i < unseen.rows(); ++i) confidence.set_row(i, unseen.row(i));
  return unseen.rows() > 0;
}

}  // namespace

CandidateScores out_of_fold_confidence(const TrainingData& data, const Learner& learner,
                                       std::size_t folds, const FitOptions& fit) {
  ThreadPool alone(1);
  ThreadPool& pool = fit.threads != nullptr ? *fit.threads : alone;
  CandidateScores confidence(data.candidates.share());
  fit_out_of_fold(
      data, learner, folds, fit, pool,
      [&](const auto& model) { return take_unseen(*model, data.candidates, confidence); },
      [&](const auto& model, std::span<const std::size_t> rows) {
        judge_rows(*model, data, rows, pool, confidence);
      });
  return confidence;
}

UnseenRows judge_unseen_rows(const TrainingData& data, const Learner& learner, std::size_t folds,
                             const FitOptions& fit) {
  ThreadPool alone(1);
  ThreadPool& pool = fit.threads != nullptr ? *fit.threads : alone;
  UnseenRows out{Matrix(data.rows(), data.labels()), CandidateScores(data.candidates.share())};
  fit_out_of_fold(
      data, learner, folds, fit, pool,
      [&](const auto& model) {
        if (model->unseen_scores() == nullptr) return false;
        out.scores = model->unseen_scores()->clone();
        out.model = model;
        return take_unseen(*model, data.candidates, out.confidence);
      },
      [&](const auto& model, std::span<const std::size_t> rows) {
        score_rows(*model, data, rows, pool, out.scores);
        judge_rows(*model, data, rows, pool, out.confidence);
        out.model = model;
      });
  return out;
}

Matrix out_of_fold_scores(const TrainingData& data, std::span<const std::size_t> learn,
                          const Learner& learner, std::size_t folds, const FitOptions& fit) {
  ThreadPool alone(1);
  ThreadPool& pool = fit.threads != nullptr ? *fit.threads : alone;
  std::vector<std::size_t> every(data.rows()), others;
  std::iota(every.begin(), every.end(), std::size_t{0});
  std::ranges::set_difference(every, learn, std::back_inserter(others));
  Matrix scores(data.rows(), data.labels());
  std::optional<TrainingData> part;
  if (!others.empty()) part = data.subset(learn);
  fit_out_of_fold(
      part ? *part : data, learner, folds, fit, pool,
      [&](const auto& model) {
        const Matrix* unseen = model->unseen_scores();
        if (unseen == nullptr) return false;
        for (std::size_t i = 0; i < learn.size(); ++i)
          std::ranges::copy(unseen->row(i), scores.row(learn[i]).begin());
        score_rows(*model, data, others, pool, scores);
        return true;
      },
      [&](const auto& model, std::span<const std::size_t> rows) {
        std::vector<std::size_t> of_data;
        for (const std::size_t i : rows) of_data.push_back(learn[i]);
        score_rows(*model, data, of_data, pool, scores);
        score_rows(*model, data, others, pool, scores);
        others.clear();
      });
  return scores;
}

template <class Confidence>
std::vector<JudgedCandidate> ranked_candidates(const Confidence& confidence,
                                               const LabelMatrix& candidates, std::size_t most) {
  const auto before = [](const JudgedCandidate& a, const JudgedCandidate& b) {
    return std::tuple(a.confidence, a.row, a.label) < std::tuple(b.confidence, b.row, b.label);
  };
  std::vector<JudgedCandidate> ranked;  // too many are cut down now and then
  const std::size_t room = std::max<std::size_t>(most, 1U << 16);
  const auto cut_to_most = [&] {
    if (ranked.size() <= most) return;
    const auto end = ranked.begin() + static_cast<std::ptrdiff_t>(most);
    std::nth_element(ranked.begin(), end, ranked.end(), before);
    ranked.erase(end, ranked.end());
  };
  for (std::size_t i = 0; i < candidates.rows(); ++i)
    candidates.for_each(i, [&](std::size_t k) {
      if (ranked.size() / 2 >= room) cut_to_most();
      ranked.push_back({i, k, confidence(i, k)});
    });
  cut_to_most();
  std::ranges::sort(ranked, before);
  return ranked;
}

template <class Confidence>
std::vector<double> estimated_noise(const Confidence& confidence, const LabelMatrix& candidates) {
  std::vector<double> sums(candidates.labels());
  for (std::size_t i = 0; i < candidates.rows(); ++i)
    candidates.for_each(i, [&](std::size_t k) { sums[k] += 1.0 - double{confidence(i, k)}; });
  const std::vector<std::size_t> counts = candidates.label_counts();
  for (std::size_t k = 0; k < sums.size(); ++k)
    sums[k] = counts[k] == 0 ? std::numeric_limits<double>::quiet_NaN()
                             : sums[k] / static_cast<double>(counts[k]);
  return sums;
}

template <class Confidence>
CleanedLabels remove_suspects(const Confidence& confidence, const LabelMatrix& candidates,
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

#define SIEVE_INSTANTIATE(Confidence)                                                            \
  template std::vector<JudgedCandidate> ranked_candidates(const Confidence&, const LabelMatrix&, \
                                                          std::size_t);                          \
  template std::vector<double> estimated_noise(const Confidence&, const LabelMatrix&);           \
  template CleanedLabels remove_suspects(const Confidence&, const LabelMatrix&, double);
SIEVE_INSTANTIATE(Matrix)
SIEVE_INSTANTIATE(CandidateScores)
#undef SIEVE_INSTANTIATE

}  // namespace sieve
