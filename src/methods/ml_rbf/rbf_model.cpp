#include "methods/ml_rbf/rbf_model.h"

#include <algorithm>
#include <cmath>

#include "labelsieve/error.h"
#include "linalg/dense.h"
#include "linalg/gemm.h"
#include "methods/shared/decision.h"
#include "methods/shared/fit_support.h"

namespace sieve {
namespace {

constexpr std::size_t kRowsAtOnce = 256;

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
