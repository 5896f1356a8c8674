#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/random.h"
#include "data/prepare/scaling.h"
#include "labelsieve/learner.h"
#include "labelsieve/matrix.h"
#include "labelsieve/threads.h"
#include "methods/shared/decision.h"

namespace sieve {

// Squared Euclidean distances from rows to centres, in float64; sparse rows stay sparse. Keeps a
// reference to the rows.
class Distances {
 public:
  Distances(const Features& x, const MatrixD& centres);

  std::vector<double> room() const;  // for the distances of one row: one a centre, and padding
  void squares(std::size_t row, std::span<double> out) const;

 private:
  const Features& x_;
  MatrixD columns_;              // features x centres, padded
  std::vector<double> lengths_;  // squared, one a centre, padded
};

struct Clusters {
  MatrixD centres;                   // clusters x features
  std::vector<std::size_t> cluster;  // of each row; none is empty
  std::vector<double> inertia;       // sum of squared distances, a round; never rises
};

// Lloyd's algorithm from a k-means++ start. 1 <= clusters <= rows. A cluster that loses all its
// rows takes over the row that is farthest from its centre. Ends when a round lowers the inertia by
// less than a ten-thousandth, or after `most_rounds`. The same bits for any number of threads.
Clusters k_means(const Features& x, std::size_t clusters, Random random, ThreadPool& pool,
                 std::size_t most_rounds = 100);

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
