#pragma once

#include "data/prepare/scaling.h"
#include "labelsieve/learner.h"
#include "methods/ml_rbf/k_means.h"
#include "methods/shared/decision.h"

namespace sieve {

// Radial basis functions of scaled rows: 1, then exp(-||x - c_j||^2 / (2 width^2)).
struct RadialBasis {
  Matrix centres;  // centres x features; float32, as a file keeps them
  double width = 1;

  std::size_t size() const { return 1 + centres.rows(); }
};

// Squared distances of rows to centres, which are in scaled space.
Distances distances(const ScaledRows& rows, const Matrix& centres);

// The functions of some rows, which must outlive this.
class RadialFeatures {
 public:
  RadialFeatures(const ScaledRows& rows, const RadialBasis& basis);
  // Rows [first, last), each basis.size() numbers.
  MatrixD of(std::size_t first, std::size_t last) const;

 private:
  Distances from_;
  std::size_t size_;
  double factor_;
};

// scores = radial features . weights.
class RbfModel final : public RealScoreModel {
 public:
  // Takes a state as rbf_state made it; Error(Model) if it does not fit together.
  explicit RbfModel(ModelState state);

  Matrix scores(const Features& x, ThreadPool& pool) const override;

 private:
  RadialBasis basis_;
  MatrixD weights_;
};

// Writes the parts down. `state` already tells method, options, names, scaler and notes.
ModelState rbf_state(ModelState state, const RadialBasis& basis, const MatrixD& weights);

}  // namespace sieve
