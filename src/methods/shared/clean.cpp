#include "labelsieve/predict.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <numeric>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include "base/format_text.h"
#include "base/stage_progress.h"
#include "labelsieve/error.h"
#include "linalg/paging.h"
#include "methods/shared/fit_support.h"
#include "methods/shared/out_of_fold.h"

namespace sieve {
namespace {

constexpr std::size_t kJudgedAtOnce = kWindowRows / 4;  // rows of a fold lie apart

// Takes the scores of the given rows down, a window at a time.
void score_rows(const Model& model, const TrainingData& data, std::span<const std::size_t> rows,
                ThreadPool& pool, Matrix& into) {
  for (std::size_t first = 0; first < rows.size(); first += kJudgedAtOnce) {
    const auto window = rows.subspan(first, std::min(kJudgedAtOnce, rows.size() - first));
    const Matrix scores =
        ask_of_rows(window, [&] { return model.scores(data.features.subset(window), pool); });
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
    const Matrix judged = ask_of_rows(
        window, [&] { return model.candidate_probabilities(data.subset(window), pool); });
    for (std::size_t i = 0; i < window.size(); ++i) into.set_row(window[i], judged.row(i));
    give_back(data.features);
  }
}

const Matrix* held_out_scores_of(const Model& model) {
  const auto* out_of_fold = dynamic_cast<const OutOfFoldModel*>(&model);
  return out_of_fold != nullptr ? out_of_fold->held_out_scores() : nullptr;
}

void check_folds(std::size_t folds, std::size_t rows) {
  if (folds < 2 || folds > rows)
    throw Error(Failure::Usage, count_text(folds, "fold") + " for " + count_text(rows, "row"), {},
                "there must be at least 2 folds and a row in each");
}

FitOptions out_of_fold_fit(const FitOptions& fit) {
  return {.seed = fit.seed, .threads = fit.threads, .progress = fit.progress, .on_epoch = {}};
}

std::optional<OutOfFold> out_of_fold_in_one_fit(const Learner& learner, const TrainingData& data,
                                                const FitOptions& fit) {
  const std::shared_ptr<const Model> model = learner.fit(data, out_of_fold_fit(fit));
  const Matrix* scores = held_out_scores_of(*model);
  if (scores == nullptr) return std::nullopt;
  const Matrix probabilities =
      dynamic_cast<const OutOfFoldModel&>(*model).held_out_probabilities(data.candidates);
  OutOfFold out{model, scores->clone(), CandidateScores(data.candidates.share())};
  for (std::size_t i = 0; i < probabilities.rows(); ++i)
    out.probabilities.set_row(i, probabilities.row(i));
  return out;
}

OutOfFold Learner::fit_out_of_fold(const TrainingData& given, std::size_t folds,
                                   const FitOptions& fit) const {
  check_folds(folds, given.rows());
  ThreadPool alone(1);
  ThreadPool& pool = fit.threads != nullptr ? *fit.threads : alone;
  Progress silent;
  StageProgress all(fit.progress != nullptr ? *fit.progress : silent);
  FitOptions own = out_of_fold_fit(fit);
  own.threads = &pool;
  const TrainingData data = stored_by_content(given);  // once for all folds
  OutOfFold out{nullptr, Matrix(data.rows(), data.labels()),
                CandidateScores(data.candidates.share()), folds};
  const auto parts = folds_stratified(data.candidates, folds, fit.seed);
  for (std::size_t f = 0; f < parts.size(); ++f) {
    all.until(static_cast<double>(f + 1) / static_cast<double>(folds));
    StageProgress progress(all, "fold " + std::to_string(f + 1) + " of " + std::to_string(folds));
    const std::vector<std::size_t> others = split_of_fold(parts, f).train;
    own.progress = &progress;
    const std::shared_ptr<const Model> model = this->fit(data.subset(others), own);
    score_rows(*model, data, parts[f], pool, out.scores);
    judge_rows(*model, data, parts[f], pool, out.probabilities);
    if (f == 0) out.model = model;
  }
  return out;
}

OutOfFold out_of_fold_scores(const TrainingData& data, std::span<const std::size_t> learn,
                             const Learner& learner, std::size_t folds, const FitOptions& fit) {
  if (learn.size() == data.rows()) return learner.fit_out_of_fold(data, folds, fit);
  ThreadPool alone(1);
  std::vector<std::size_t> every(data.rows()), others;
  std::iota(every.begin(), every.end(), std::size_t{0});
  std::ranges::set_difference(every, learn, std::back_inserter(others));
  const OutOfFold judged =
      ask_of_rows(learn, [&] { return learner.fit_out_of_fold(data.subset(learn), folds, fit); });
  Matrix scores(data.rows(), data.labels());
  for (std::size_t i = 0; i < learn.size(); ++i)
    std::ranges::copy(judged.scores.row(i), scores.row(learn[i]).begin());
  score_rows(*judged.model, data, others, fit.threads != nullptr ? *fit.threads : alone, scores);
  return {judged.model, std::move(scores), {}, judged.folds};
}

template <class Probabilities>
std::vector<JudgedCandidate> ranked_candidates(const Probabilities& probabilities,
                                               const LabelMatrix& candidates, std::size_t most) {
  const auto before = [](const JudgedCandidate& a, const JudgedCandidate& b) {
    return std::tuple(a.probability, a.row, a.label) < std::tuple(b.probability, b.row, b.label);
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
      ranked.push_back({i, k, probabilities(i, k)});
    });
  cut_to_most();
  std::ranges::sort(ranked, before);
  return ranked;
}

template <class Probabilities>
std::vector<double> estimated_noise(const Probabilities& probabilities,
                                    const LabelMatrix& candidates) {
  std::vector<double> sums(candidates.labels());
  for (std::size_t i = 0; i < candidates.rows(); ++i)
    candidates.for_each(i, [&](std::size_t k) { sums[k] += 1.0 - double{probabilities(i, k)}; });
  const std::vector<std::size_t> counts = candidates.label_counts();
  for (std::size_t k = 0; k < sums.size(); ++k)
    sums[k] = counts[k] == 0 ? std::numeric_limits<double>::quiet_NaN()
                             : sums[k] / static_cast<double>(counts[k]);
  return sums;
}

template <class Probabilities>
CleanedLabels remove_suspects(const Probabilities& probabilities, const LabelMatrix& candidates,
                              double threshold, EmptyRows empty) {
  CleanedLabels out{candidates.clone()};
  for (std::size_t i = 0; i < candidates.rows(); ++i) {
    if (candidates.count(i) == 0) continue;
    std::size_t best = candidates.labels();
    candidates.for_each(i, [&](std::size_t k) {
      if (best == candidates.labels() || probabilities(i, k) > probabilities(i, best)) best = k;
      if (double{probabilities(i, k)} < threshold) out.kept.set(i, k, false);
    });
    if (out.kept.count(i) != 0) continue;
    if (empty == EmptyRows::Allowed) {
      ++out.emptied_rows;
    } else {
      out.kept.set(i, best);
      ++out.rescued_rows;
    }
  }
  out.removed = candidates.count() - out.kept.count();
  return out;
}

#define SIEVE_INSTANTIATE(Probabilities)                                                    \
  template std::vector<JudgedCandidate> ranked_candidates(const Probabilities&,             \
                                                          const LabelMatrix&, std::size_t); \
  template std::vector<double> estimated_noise(const Probabilities&, const LabelMatrix&);   \
  template CleanedLabels remove_suspects(const Probabilities&, const LabelMatrix&, double,  \
                                         EmptyRows);
SIEVE_INSTANTIATE(Matrix)
SIEVE_INSTANTIATE(CandidateScores)
#undef SIEVE_INSTANTIATE

}  // namespace sieve
