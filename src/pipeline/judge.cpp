#include "pipeline/judge_votes.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <utility>

#include "labelsieve/data_io.h"
#include "labelsieve/error.h"
#include "labelsieve/pipeline.h"
#include "labelsieve/predict.h"

namespace sieve {
namespace {

constexpr double kLikely = 0.5;
constexpr std::size_t kMostMissing = 1'000'000;
constexpr double kBlind = 1.0 / 15, kNearlySure = 0.1, kHardlyShown = 0.15;
constexpr std::size_t kTopRows = 50,
                      kLeastTopRows = 30;  // the highest fiftieth, but at least this many
constexpr std::size_t kEnoughRows = 60'000;

double mean_noise(const CandidateScores& probabilities, const LabelMatrix& candidates) {
  double sum = 0, count = 0;
  for (std::size_t row = 0; row < candidates.rows(); ++row)
    candidates.for_each(row, [&](std::size_t l) {
      sum += 1 - double{probabilities(row, l)};
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
void move_noise(std::vector<UnionLabel>& labels, const CandidateScores& probabilities,
                const LabelMatrix& candidates) {
  const std::vector<double> noise = estimated_noise(probabilities, candidates);
  for (std::size_t l = 0; l < labels.size(); ++l) {
    if (std::isnan(noise[l])) continue;
    UnionLabel& label = labels[l];
    label.noise.value = std::clamp(noise[l], 1e-6, 1 - 1e-6);
    label.noise.low = std::min(label.noise.low, label.noise.value);
    label.noise.high = std::max(label.noise.high, label.noise.value);
    label.noise_at_most = std::max(label.noise_at_most, label.noise.value);
  }
}

// The share of ticks among the rows with the highest scores of a label; at least one row.
double ticks_at_the_top(const LabelMatrix& candidates, const Matrix& scores, std::size_t label) {
  const std::size_t asked = std::min(scores.rows(), kEnoughRows);
  std::vector<std::pair<float, bool>> rows(asked);
  for (std::size_t k = 0; k < asked; ++k) {
    const std::size_t row = k * scores.rows() / asked;
    rows[k] = {scores(row, label), candidates.get(row, label)};
  }
  const std::size_t most = std::min(std::max(asked / kTopRows, kLeastTopRows), asked) - 1;
  std::ranges::nth_element(rows, rows.begin() + static_cast<std::ptrdiff_t>(most), std::greater{},
                           &std::pair<float, bool>::first);
  double ticks = 0.5, count = 1;
  for (const auto& [score, ticked] : rows)
    if (score >= rows[most].first) ticks += ticked ? 1 : 0, count += 1;
  return ticks / count;
}

// How much of what features say against ticks counts when ticks are removed. They may be blind to
// some right labels: rows with the lowest scores are taken to have a label at least a fifteenth as
// often as those with the highest, unless ticks follow the scores nearly surely there. A label that
// few of the latter have is not shown by features at all: its ticks stay.
std::vector<double> trust_in_features(const LabelMatrix& candidates, const Matrix& scores,
                                      const CandidateScores& probabilities, ThreadPool& pool) {
  const std::vector<double> noise = estimated_noise(probabilities, candidates);
  const std::vector<std::size_t> counts = candidates.label_counts();
  std::vector<double> trust(candidates.labels(), 1);
  pool.for_each(trust.size(), [&](std::size_t l) {
    if (counts[l] == 0 || noise[l] <= 0) return;
    const auto rows = static_cast<double>(candidates.rows()),
               ticks = static_cast<double>(counts[l]);
    const double wrong = noise[l] * ticks, false_ticks = wrong / (rows - ticks + wrong);
    const double top = ticks_at_the_top(candidates, scores, l);
    const double blind = kBlind * std::clamp((1 - top) / kNearlySure, 0.0, 1.0);
    trust[l] = top < kHardlyShown ? 0 : std::clamp(1 - blind * top / false_ticks, 0.0, 1.0);
  });
  return trust;
}

// What ticks without names say, and what said it.
struct UnionJudgement {
  CandidateScores probabilities;
  UnionFindings found;
  std::string judge;
  std::shared_ptr<const Model> model;
};

UnionJudgement judge_ticks(const TrainingData& data, const Learner& learner,
                           const JudgeRequest& request, std::span<const GoldCell> gold) {
  ThreadPool alone(1);
  ThreadPool& pool = request.fit.threads != nullptr ? *request.fit.threads : alone;
  OutOfFold out_of_fold = learner.fit_out_of_fold(data, request.folds, request.fit);
  out_of_fold.scores = as_probabilities(std::move(out_of_fold.scores));
  const LabelMatrix& ticked = data.candidates;
  UnionModel model =
      fit_union(ticked, out_of_fold.scores, pool, {.missing = request.missing}, gold);
  CandidateScores probabilities =
      union_candidate_probabilities(model, ticked, out_of_fold.scores, pool);
  UnionFindings found;
  if (request.missing > 0)
    found.missing = missing_labels(model, ticked, out_of_fold.scores, pool, kMostMissing, kLikely);
  found.labels = std::move(model.labels);
  if (gold.empty()) {
    const double weight = weight_of_method(mean_noise(out_of_fold.probabilities, ticked),
                                           mean_noise(probabilities, ticked));
    probabilities = mixed(probabilities, out_of_fold.probabilities, weight, ticked);
    move_noise(found.labels, probabilities, ticked);
    found.trust = trust_in_features(ticked, out_of_fold.scores, probabilities, pool);
  }
  return {std::move(probabilities), std::move(found), judge_name(out_of_fold),
          request.keep_model ? std::move(out_of_fold.model) : nullptr};
}

// By the given rows alone; what is said of them stands where they stand among all.
UnionJudgement judge_some_rows(const TrainingData& data, const std::vector<std::size_t>& rows,
                               const Learner& learner, const JudgeRequest& request) {
  UnionJudgement judged =
      judge_ticks(data.subset(rows), learner, request, gold_among(rows, data.rows(), request.gold));
  CandidateScores all(data.candidates.share());
  std::vector<float> row_of(data.labels());
  for (std::size_t k = 0; k < rows.size(); ++k) {
    judged.probabilities.for_each(k, [&](std::size_t l, float value) { row_of[l] = value; });
    all.set_row(rows[k], row_of);
  }
  judged.probabilities = std::move(all);
  for (CellProbability& cell : judged.found.missing) cell.row = rows[cell.row];
  return judged;
}

}  // namespace

Judged judge_by_union(Dataset data, const Learner& learner, const JudgeRequest& request) {
  const TrainingData rows = training_data(data).without_votes();
  // Rows that nobody looked at would count as rows without any label.
  const std::vector<std::size_t> looked =
      data.votes ? rows_looked_at(*data.votes) : std::vector<std::size_t>();
  UnionJudgement judged = data.votes && looked.size() != data.rows()
                              ? judge_some_rows(rows, looked, learner, request)
                              : judge_ticks(rows, learner, request, request.gold);
  return {std::move(data), std::move(judged.probabilities), std::move(judged.judge),
          std::nullopt,    std::move(judged.found),         std::move(judged.model)};
}

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
  const auto by_votes = [&] {
    if (learner) return judge_by_votes(std::move(data), *learner, request, pool);
    if (request.model == nullptr)
      return judge_by_votes(std::move(data), request.scores, request, pool);
    const Matrix scores = predict(*request.model, data, pool).scores;
    return judge_by_votes(std::move(data), &scores, request, pool);
  };
  Judged judged =
      votes ? by_votes() : judge_without_votes(std::move(data), request, learner.get(), pool);
  judged.names_ignored = ignored;
  compare_with_gold(judged, request.gold);
  judged.decided = !request.gold.empty();
  return judged;
}

}  // namespace sieve
