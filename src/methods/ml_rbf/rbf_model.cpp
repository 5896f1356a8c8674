#include "methods/ml_rbf/rbf_model.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "labelsieve/error.h"
#include "linalg/dense.h"
#include "linalg/entries.h"
#include "linalg/products.h"
#include "methods/shared/decision.h"
#include "methods/shared/fit_support.h"

namespace sieve {

Distances::Distances(const Features& x, const MatrixD& centres)
    : x_(x), columns_(x.cols(), padded_eight(centres.rows())), lengths_(columns_.cols()) {
  for (std::size_t c = 0; c < centres.rows(); ++c)
    for (std::size_t j = 0; j < x.cols(); ++j) {
      columns_(j, c) = centres(c, j);
      lengths_[c] += centres(c, j) * centres(c, j);
    }
}

std::vector<double> Distances::room() const {
  return std::vector<double>(columns_.cols());
}

void Distances::squares(std::size_t row, std::span<double> out) const {
  row_times(x_, row, columns_, out);
  double length = 0;
  for_each_entry(x_, row, [&](std::size_t, double value) { length += value * value; });
  for (std::size_t c = 0; c < out.size(); ++c)
    out[c] = std::max(0.0, length - 2 * out[c] + lengths_[c]);
}

namespace {

constexpr std::size_t kRowsAtOnce = 256;
constexpr double kLeastGain = 1e-4;

// Rows drawn with a chance that grows with the squared distance to the ones already drawn.
std::vector<std::size_t> spread_rows(const Features& x, std::size_t count, Random& random,
                                     ThreadPool& pool) {
  std::vector<std::size_t> drawn = {random.below(x.rows())};
  std::vector<double> distance(x.rows(), std::numeric_limits<double>::infinity());
  while (drawn.size() < count) {
    std::vector<float> last(x.cols());
    x.copy_row(drawn.back(), last);
    MatrixD centre(1, x.cols());
    std::ranges::copy(last, centre.row(0).begin());
    const Distances from(x, centre);
    pool.for_blocks(x.rows(), kRowsAtOnce, [&](std::size_t first, std::size_t end) {
      std::vector<double> to = from.room();
      for (std::size_t i = first; i < end; ++i) {
        from.squares(i, to);
        distance[i] = std::min(distance[i], to[0]);
      }
    });
    double rest = random.uniform() * std::accumulate(distance.begin(), distance.end(), 0.0);
    std::size_t next = 0;
    while (next + 1 < x.rows() && (rest -= distance[next]) >= 0) ++next;
    drawn.push_back(next);
  }
  return drawn;
}

// Each row to its nearest centre; returns the squared distances.
std::vector<double> assign(const Features& x, Clusters& out, ThreadPool& pool) {
  std::vector<double> distance(x.rows());
  const Distances from(x, out.centres);
  pool.for_blocks(x.rows(), kRowsAtOnce, [&](std::size_t first, std::size_t last) {
    std::vector<double> to = from.room();
    for (std::size_t i = first; i < last; ++i) {
      from.squares(i, to);
      const auto nearest = std::min_element(
          to.begin(), to.begin() + static_cast<std::ptrdiff_t>(out.centres.rows()));
      out.cluster[i] = static_cast<std::size_t>(nearest - to.begin());
      distance[i] = *nearest;
    }
  });
  return distance;
}

void fill_empty(Clusters& out, std::vector<double>& distance) {
  std::vector<std::size_t> sizes(out.centres.rows());
  for (const std::size_t c : out.cluster) ++sizes[c];
  for (std::size_t c = 0; c < sizes.size(); ++c) {
    if (sizes[c] > 0) continue;
    std::size_t farthest = out.cluster.size();
    for (std::size_t i = 0; i < out.cluster.size(); ++i)
      if (sizes[out.cluster[i]] > 1 &&
          (farthest == out.cluster.size() || distance[i] > distance[farthest]))
        farthest = i;
    --sizes[out.cluster[farthest]];
    ++sizes[c];
    out.cluster[farthest] = c;
    distance[farthest] = 0;
  }
}

void move_to_means(const Features& x, Clusters& out) {
  std::vector<double> sizes(out.centres.rows());
  out.centres = MatrixD(out.centres.rows(), out.centres.cols());
  for (std::size_t i = 0; i < x.rows(); ++i) {
    sizes[out.cluster[i]] += 1;
    const std::span<double> sum = out.centres.row(out.cluster[i]);
    for_each_entry(x, i, [&](std::size_t j, double value) { sum[j] += value; });
  }
  for (std::size_t c = 0; c < sizes.size(); ++c)
    for (double& value : out.centres.row(c)) value /= sizes[c];
}

}  // namespace

Clusters k_means(const Features& x, std::size_t clusters, Random random, ThreadPool& pool,
                 std::size_t most_rounds) {
  Clusters out{MatrixD(clusters, x.cols()), std::vector<std::size_t>(x.rows()), {}};
  const std::vector<std::size_t> start = spread_rows(x, clusters, random, pool);
  for (std::size_t c = 0; c < clusters; ++c)
    for_each_entry(x, start[c], [&](std::size_t j, double value) { out.centres(c, j) = value; });
  for (std::size_t round = 0; round < most_rounds; ++round) {
    std::vector<double> distance = assign(x, out, pool);
    fill_empty(out, distance);
    move_to_means(x, out);
    out.inertia.push_back(std::accumulate(distance.begin(), distance.end(), 0.0));
    if (round > 0 && out.inertia[round - 1] - out.inertia[round] <= kLeastGain * out.inertia[round])
      break;
  }
  return out;
}

namespace {

template <class T>
BasicMatrix<T> matrix_of(const Tensor& tensor, std::size_t cols) {
  if (tensor.shape.size() != 2 || tensor.shape[0] == 0 || tensor.shape[1] != cols ||
      !std::ranges::all_of(tensor.values, [](float value) { return std::isfinite(value); }))
    throw Error(Failure::Model, "'" + tensor.name + "' does not fit the rest of the model");
  BasicMatrix<T> out(tensor.shape[0], cols);
  for (std::size_t i = 0; i < out.rows(); ++i)
    std::copy_n(tensor.values.data() + i * cols, cols, out.row(i).begin());
  return out;
}

// Weights of nearly dependent functions are large and cancel each other: a file keeps what float32
// leaves of them in a second tensor.
MatrixD left_by_float(const MatrixD& numbers) {
  MatrixD rest = numbers.clone();
  for (std::size_t i = 0; i < rest.rows(); ++i)
    for (double& value : rest.row(i)) value -= double{static_cast<float>(value)};
  return rest;
}

}  // namespace

// Centres move to where the rows are that are stored without their shift.
Distances distances(const ScaledRows& rows, const Matrix& centres) {
  MatrixD places(centres.rows(), centres.cols());
  for (std::size_t c = 0; c < places.rows(); ++c)
    for (std::size_t j = 0; j < places.cols(); ++j)
      places(c, j) = double{centres(c, j)} - rows.shift[j];
  return {rows.x, places};
}

RadialFeatures::RadialFeatures(const ScaledRows& rows, const RadialBasis& basis)
    : from_(distances(rows, basis.centres)),
      size_(basis.size()),
      factor_(-1 / (2 * basis.width * basis.width)) {}

MatrixD RadialFeatures::of(std::size_t first, std::size_t last) const {
  MatrixD out(last - first, size_);
  std::vector<double> squares = from_.room();
  for (std::size_t i = first; i < last; ++i) {
    from_.squares(i, squares);
    const std::span<double> row = out.row(i - first);
    row[0] = 1;
    for (std::size_t c = 1; c < size_; ++c) row[c] = std::exp(factor_ * squares[c - 1]);
  }
  return out;
}

ModelState rbf_state(ModelState state, const RadialBasis& basis, const MatrixD& weights) {
  state.tensors.push_back(tensor_of("centres", basis.centres));
  state.tensors.push_back({"width", {1}, {static_cast<float>(basis.width)}});
  state.tensors.push_back(tensor_of("weights", weights));
  state.tensors.push_back(tensor_of("weights/rest", left_by_float(weights)));
  Decision decision;
  decision.threshold = 0;
  decision.write(state);
  CandidateConfidence{.centre = 0, .slope = 2}.write(state);
  return state;
}

RbfModel::RbfModel(ModelState state) : RealScoreModel(std::move(state)) {
  const std::size_t labels = state_.label_names.size();
  basis_.centres = matrix_of<float>(state_.tensor("centres"), state_.features);
  const std::vector<float>& width = state_.tensor("width").values;
  weights_ = matrix_of<double>(state_.tensor("weights"), labels);
  const MatrixD rest = matrix_of<double>(state_.tensor("weights/rest"), labels);
  if (width.size() != 1 || !(width[0] > 0) || state_.scaler.factor.size() != state_.features ||
      state_.scaler.offset.size() != state_.features || rest.rows() != weights_.rows() ||
      weights_.rows() != basis_.centres.rows() + 1)
    throw Error(Failure::Model, "the parts of the model do not fit together");
  basis_.width = double{width[0]};
  add(weights_, 1, rest);
}

Matrix RbfModel::scores(const Features& x, ThreadPool& pool) const {
  Matrix out(x.rows(), weights_.cols());
  for_each_block(state_, x, [&](std::size_t start, const Features& block) {
    const ScaledRows rows = scaled_rows(block, state_.scaler);
    const RadialFeatures radial(rows, basis_);
    pool.for_blocks(rows.rows(), kRowsAtOnce, [&](std::size_t first, std::size_t last) {
      const MatrixD phi = radial.of(first, last);
      MatrixD scores(last - first, out.cols());
      gemm<double>(phi.rows(), out.cols(), phi.cols(), {phi.data(), phi.stride()},
                   {weights_.data(), weights_.stride()}, false, scores.data(), scores.stride());
      for (std::size_t i = first; i < last; ++i)
        for (std::size_t k = 0; k < out.cols(); ++k)
          out(start + i, k) = static_cast<float>(scores(i - first, k));
    });
  });
  return finite_scores(std::move(out), x);
}

}  // namespace sieve
