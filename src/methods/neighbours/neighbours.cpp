// Labels that spread from rows to rows that are alike.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/random.h"
#include "data/prepare/scaling.h"
#include "labelsieve/error.h"
#include "methods/neighbours/neighbours_model.h"
#include "methods/network/noise_model.h"
#include "methods/shared/decision.h"
#include "methods/shared/evidence_line.h"
#include "methods/shared/fit_support.h"
#include "methods/shared/targets.h"

namespace sieve {
namespace {

constexpr std::size_t kDirections = 20;
constexpr std::size_t kRowsForDirections = 5000;
constexpr std::size_t kMostRows = 20000, kMostCells = std::size_t{1} << 22, kFewestRows = 1000;
constexpr std::size_t kFolds = 5;

// Some rows, spread evenly.
std::vector<std::size_t> some_rows(std::size_t rows, std::size_t most) {
  std::vector<std::size_t> some(std::min(rows, most));
  for (std::size_t i = 0; i < some.size(); ++i) some[i] = i * rows / some.size();
  return some;
}

// The annotated rows that are taken, and the others, at least half of the room for the former.
struct Taken {
  Taken(std::size_t annotated_rows, std::size_t other_rows, std::size_t labels) {
    const std::size_t room = std::clamp(kMostCells / labels, kFewestRows, kMostRows);
    const std::size_t left = room - std::min(other_rows, room / 2);
    annotated = some_rows(annotated_rows, left);
    others = some_rows(other_rows, room - annotated.size());
  }
  std::vector<std::size_t> annotated, others;
};

Features features_of(const TrainingData& data, const Taken& taken) {
  Features rows = data.features.select_rows(taken.annotated);
  return taken.others.empty()
             ? rows
             : stack_rows(std::move(rows), data.unlabelled->select_rows(taken.others));
}

// What annotated rows say beyond how frequent labels are; a fold of them says nothing.
Matrix said_by(const Targets& targets, const Taken& taken, std::span<const double> frequency,
               std::span<const std::size_t> fold, std::size_t left_out) {
  Matrix said(taken.annotated.size() + taken.others.size(), targets.labels());
  std::vector<float> row(targets.labels());
  for (std::size_t p = 0; p < taken.annotated.size(); ++p) {
    if (fold[p] == left_out) continue;
    const std::size_t i = taken.annotated[p];
    targets.copy_row(i, row);
    for (std::size_t k = 0; k < row.size(); ++k)
      said(p, k) = targets.weight(i) * static_cast<float>(double{row[k]} - frequency[k]);
  }
  return said;
}

Tensor numbers(const char* name, std::vector<float> values) {
  return {name, {values.size()}, std::move(values)};
}

}  // namespace

std::unique_ptr<NeighboursModel> fit_neighbours(const TrainingData& data,
                                                std::span<const float> rates, std::uint64_t seed,
                                                ThreadPool& pool, Progress& progress) {
  if (data.rows() < kFolds) return nullptr;
  const Targets targets(data);
  const Taken taken(data.rows(), data.unlabelled ? data.unlabelled->rows() : 0, data.labels());
  const Features rows = features_of(data, taken);
  const Directions directions = learn_directions(
      rows.subset(some_rows(rows.rows(), kRowsForDirections)), kDirections, seed, pool);
  if (directions.turn.cols() == 0) return nullptr;
  const Features points(directions.along(rows, pool));
  const RowGraph graph(points, pool, progress);

  const std::vector<double> frequency = label_frequencies(targets);
  std::vector<std::size_t> fold(taken.annotated.size());
  for (std::size_t p = 0; p < fold.size(); ++p) fold[p] = p % kFolds;
  Random(seed, Purpose::Split).shuffle(std::span(fold));
  const Matrix said = graph.spread(said_by(targets, taken, frequency, fold, kFolds), pool);
  // Rows that were not taken are asked about like new ones.
  Matrix held_out =
      taken.annotated.size() == data.rows()
          ? Matrix(data.rows(), data.labels())
          : mean_of_neighbours(directions.along(data.features, pool), points, said, pool);
  Matrix judged(taken.annotated.size(), data.labels());
  progress.begin("rows that are alike", kFolds);
  for (std::size_t f = 0; f < kFolds; ++f) {
    const Matrix without = graph.spread(said_by(targets, taken, frequency, fold, f), pool);
    for (std::size_t p = 0; p < fold.size(); ++p)
      if (fold[p] == f) {
        std::ranges::copy(without.row(p), judged.row(p).begin());
        std::ranges::copy(without.row(p), held_out.row(taken.annotated[p]).begin());
      }
    progress.update(f + 1);
  }
  progress.end();
  const EvidenceLine line = fit_evidence_line(judged, targets, taken.annotated, frequency, rates);
  line.make_probabilities(held_out);

  ModelState state = described_state("neighbours", {}, data, {.seed = seed, .on_epoch = {}});
  state.tensors = {numbers("mean", directions.mean),
                   tensor_of("turn", directions.turn),
                   tensor_of("points", points.dense()),
                   tensor_of("said", said),
                   numbers("offset", line.offset),
                   numbers("slope", {line.slope}),
                   numbers("noise_rate", {rates.begin(), rates.end()})};
  return std::make_unique<NeighboursModel>(std::move(state), std::move(held_out));
}

namespace {

Matrix matrix_of(const ModelState& state, const char* name, std::size_t rows) {
  const Tensor& tensor = state.tensor(name);
  if (tensor.shape.size() != 2 || (rows != 0 && tensor.shape[0] != rows) || tensor.shape[0] == 0 ||
      tensor.shape[1] == 0 || !all_finite(tensor.values))
    throw Error(Failure::Model, "'" + std::string(name) + "' of the model does not fit it");
  Matrix out(tensor.shape[0], tensor.shape[1]);
  for (std::size_t i = 0; i < out.rows(); ++i)
    std::copy_n(tensor.values.begin() + static_cast<std::ptrdiff_t>(i * out.cols()), out.cols(),
                out.row(i).begin());
  return out;
}

const std::vector<float>& vector_of(const ModelState& state, const char* name, std::size_t size) {
  const Tensor& tensor = state.tensor(name);
  if (tensor.shape.size() != 1 || tensor.values.size() != size || !all_finite(tensor.values))
    throw Error(Failure::Model, "'" + std::string(name) + "' of the model does not fit it");
  return tensor.values;
}

}  // namespace

NeighboursModel::NeighboursModel(ModelState state, Matrix held_out_scores)
    : state_(std::move(state)), held_out_(std::move(held_out_scores)) {
  const std::size_t labels = state_.label_names.size();
  directions_ = {vector_of(state_, "mean", state_.features),
                 matrix_of(state_, "turn", state_.features)};
  Matrix points = matrix_of(state_, "points", 0);
  said_ = matrix_of(state_, "said", points.rows());
  const bool rates_fit = std::ranges::all_of(vector_of(state_, "noise_rate", labels),
                                             [](float r) { return r >= 0 && r < 1; });
  if (points.cols() != directions_.turn.cols() || said_.cols() != labels || !rates_fit)
    throw Error(Failure::Model, "the neighbours of the model do not fit it");
  vector_of(state_, "offset", labels);
  vector_of(state_, "slope", 1);
  points_ = Features(std::move(points));
}

Matrix NeighboursModel::scores(const Features& x, ThreadPool& pool) const {
  require_features(x, state_.features);
  Matrix out = mean_of_neighbours(directions_.along(x, pool), points_, said_, pool);
  EvidenceLine{state_.tensor("offset").values, state_.tensor("slope").values[0]}.make_probabilities(
      out);
  return finite_scores(std::move(out), x);
}

LabelMatrix NeighboursModel::decide(const Matrix& scores) const {
  return Decision{}.decide(scores);
}

Matrix NeighboursModel::candidate_probabilities(const TrainingData& data, ThreadPool& pool) const {
  return confidence_of(scores(data.features, pool), state_.tensor("noise_rate").values,
                       data.candidates);
}

Matrix NeighboursModel::held_out_probabilities(const LabelMatrix& candidates) const {
  return confidence_of(held_out_.clone(), state_.tensor("noise_rate").values, candidates);
}

MethodInfo neighbours_method() {
  MethodInfo info{.name = "neighbours", .title = "Neighbours", .summary = "", .options = {}};
  info.load = [](ModelState state) -> std::unique_ptr<Model> {
    return std::make_unique<NeighboursModel>(std::move(state));
  };
  return info;
}

}  // namespace sieve
