#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "labelsieve/matrix.h"
#include "labelsieve/prepare.h"
#include "nn/mlp.h"

namespace sieve {

// Min-max scaling to [-1, 1] and the mean of each scaled feature, fitted on the training rows.
// The networks see scaled features minus their mean (or, not centred, the scaled features alone).
// Zeros of sparse features count like any value, so a dense and a sparse copy of the same numbers
// are treated alike.
struct InputScaling {
  Scaler scaler;
  std::vector<float> mean;  // of x * factor, in which the offset cancels; not centred: -offset
};
InputScaling fit_input_scaling(const Features& x, bool centred);

// The rows of a data set as networks see them. Sparse features stay sparse.
class NetRows {
 public:
  // Error(Data) if the number of features is not that of the scaling.
  NetRows(const Features& x, const InputScaling& scaling);

  std::size_t rows() const { return sparse_ ? csr_.rows() : dense_.rows(); }
  std::size_t inputs() const { return mean_.size(); }
  bool is_sparse() const { return sparse_; }
  // Room for a batch of up to `rows` rows (none is needed for sparse features).
  Panel<float> room(std::size_t rows) const;
  // The given rows as input of a network; dense rows are gathered into `room`. `rows` and `room`
  // must live as long as the input.
  Input<float> batch(std::span<const std::size_t> rows, Panel<float>& room) const;
  // The mean row in the scaled space, and the variance of a row there summed over features.
  std::vector<float> scaled_mean() const;
  double total_variance() const;
  // Row i in the scaled space [-1, 1]^d, which the generator imitates.
  void scaled_row(std::size_t i, std::span<float> into) const;

 private:
  bool sparse_ = false;
  Panel<float> dense_;  // centred
  CsrMatrix csr_;       // times factor, not centred
  std::vector<float> mean_, offset_;
};

}  // namespace sieve
