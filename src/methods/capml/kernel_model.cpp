#include "methods/capml/kernel_model.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/random.h"
#include "data/prepare/scaling.h"
#include "labelsieve/error.h"
#include "linalg/dense.h"
#include "linalg/design.h"
#include "linalg/entries.h"
#include "methods/shared/finite_scores.h"
#include "methods/shared/row_storage.h"

namespace sieve {
namespace {

constexpr std::size_t kRowsAtOnce = 1024;

// Squared distances of rows from anchors.
MatrixD distances(const Features& x, const MatrixD& anchors, ThreadPool& pool) {
  MatrixD out = times(Design{x, false}, anchors, pool);
  std::vector<double> squares(anchors.cols());
  for (std::size_t f = 0; f < anchors.rows(); ++f)
    for (std::size_t a = 0; a < anchors.cols(); ++a) squares[a] += anchors(f, a) * anchors(f, a);
  for (std::size_t i = 0; i < out.rows(); ++i) {
    double square = 0;
    for_each_entry(x, i,
                   [&](std::size_t, float value) { square += double{value} * double{value}; });
    for (std::size_t a = 0; a < out.cols(); ++a)
      out(i, a) = std::max(0.0, square + squares[a] - 2 * out(i, a));
  }
  return out;
}

// Squared distances become kernels, and the constant comes last.
MatrixD kernels(const MatrixD& squares, double width, ThreadPool& pool) {
  MatrixD out(squares.rows(), squares.cols() + 1);
  pool.for_blocks(out.rows(), kRowsAtOnce, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      for (std::size_t a = 0; a < squares.cols(); ++a) out(i, a) = std::exp(-squares(i, a) / width);
      out(i, squares.cols()) = 1;
    }
  });
  return out;
}

void subtract(const std::vector<double>& mean, MatrixD& kernels) {
  for (std::size_t i = 0; i < kernels.rows(); ++i)
    for (std::size_t a = 0; a < mean.size(); ++a) kernels(i, a) -= mean[a];
}

MatrixD some_rows(const Features& x, std::size_t count, std::uint64_t seed) {
  std::vector<std::size_t> rows(x.rows());
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  Random(seed, Purpose::Init).shuffle(std::span<std::size_t>(rows));
  rows.resize(count);
  MatrixD out(x.cols(), count);
  for (std::size_t a = 0; a < count; ++a)
    for_each_entry(x, rows[a], [&](std::size_t f, float value) { out(f, a) = double{value}; });
  return out;
}

void write(ModelState& state, const char* name, const MatrixD& values) {
  Tensor tensor{name, {values.rows(), values.cols()}, {}};
  for (std::size_t i = 0; i < values.rows(); ++i)
    for (const double value : values.row(i)) tensor.values.push_back(static_cast<float>(value));
  state.tensors.push_back(std::move(tensor));
}

MatrixD read(const ModelState& state, const char* name, std::size_t rows, std::size_t cols) {
  const Tensor& tensor = state.tensor(name);
  if (tensor.shape != std::vector{rows, cols} || tensor.values.size() != rows * cols ||
      !std::ranges::all_of(tensor.values, [](float v) { return std::isfinite(v); }))
    throw Error(Failure::Model,
                "the " + std::string(name) + " of the model do not fit its other parts");
  MatrixD out(rows, cols);
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t k = 0; k < cols; ++k) out(i, k) = double{tensor.values[i * cols + k]};
  return out;
}

}  // namespace

MatrixD KernelMap::of(const Features& scaled, ThreadPool& pool) const {
  MatrixD out = kernels(distances(scaled, anchors, pool), width, pool);
  subtract(mean, out);
  return out;
}

KernelMap fit_kernel_map(const Features& scaled, std::size_t anchors, std::uint64_t seed,
                         ThreadPool& pool, MatrixD& inputs) {
  KernelMap map{some_rows(scaled, anchors, seed), std::vector<double>(anchors), 1};
  const MatrixD squares = distances(scaled, map.anchors, pool);
  double sum = 0;
  for (std::size_t i = 0; i < squares.rows(); ++i)
    for (const double square : squares.row(i)) sum += square;
  const double cells = static_cast<double>(squares.rows() * squares.cols());
  if (sum > 0) map.width = 2 * sum / cells;
  inputs = kernels(squares, map.width, pool);
  for (std::size_t i = 0; i < inputs.rows(); ++i)
    for (std::size_t a = 0; a < anchors; ++a)
      map.mean[a] += inputs(i, a) / static_cast<double>(inputs.rows());
  subtract(map.mean, inputs);
  return map;
}

ModelState kernel_state(ModelState state, const KernelMap& map, const MatrixD& weights,
                        const Decision& decision) {
  write(state, "anchors", transposed(map.anchors));
  state.tensors.push_back({"kernel_mean", {map.mean.size()}, {map.mean.begin(), map.mean.end()}});
  state.tensors.push_back({"kernel_width", {1}, {static_cast<float>(map.width)}});
  write(state, "weights", weights);
  decision.write(state);
  CandidateConfidence{}.write(state);
  return state;
}

KernelModel::KernelModel(ModelState state)
    : state_(std::move(state)),
      decision_(Decision::read(state_)),
      confidence_(CandidateConfidence::read(state_)) {
  const std::size_t anchors = state_.tensor("kernel_mean").values.size();
  if (state_.scaler.factor.size() != state_.features)
    throw Error(Failure::Model, "the scaling of the model does not fit its features");
  map_.anchors = transposed(read(state_, "anchors", anchors, state_.features));
  const std::vector<float>& mean = state_.tensor("kernel_mean").values;
  map_.mean.assign(mean.begin(), mean.end());
  const std::vector<float>& width = state_.tensor("kernel_width").values;
  weights_ = read(state_, "weights", anchors + 1, state_.label_names.size());
  if (width.size() != 1 || !(width[0] > 0))
    throw Error(Failure::Model, "the kernels of the model do not fit its features");
  map_.width = double{width[0]};
}

Matrix KernelModel::scores(const Features& x, ThreadPool& pool) const {
  Matrix out(x.rows(), weights_.cols());
  for_each_block(state_, x, [&](std::size_t first, const Features& rows) {
    const MatrixD kernels = map_.of(scaled_rows(rows, state_.scaler).x, pool);
    const Matrix scored = narrowed(times(kernels, weights_, pool));
    for (std::size_t i = 0; i < rows.rows(); ++i)
      std::ranges::copy(scored.row(i), out.row(first + i).begin());
  });
  return finite_scores(std::move(out), x);
}

Matrix KernelModel::confidence(const TrainingData& data, ThreadPool& pool) const {
  return confidence_.of(scores(data.features, pool), data.candidates);
}

}  // namespace sieve
