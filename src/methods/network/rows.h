#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "labelsieve/matrix.h"
#include "labelsieve/prepare.h"
#include "nn/mlp.h"

namespace sieve {

// The rows `rows` of a set of features, or all where none are named. Nothing is copied: `all` and
// `rows` must outlive this.
struct PickedRows {
  PickedRows(const Features& features, std::span<const std::size_t> picked = {})  // NOLINT
      : all(features), rows(picked) {}

  std::size_t size() const { return rows.empty() ? all.rows() : rows.size(); }
  std::size_t operator[](std::size_t i) const { return rows.empty() ? i : rows[i]; }
  // Calls visit(i) from the first to the last, and gives mapped memory back on the way.
  template <class Visit>
  void for_each(Visit&& visit) const {
    for (std::size_t i = 0; i < size(); ++i) {
      visit(i);
      if ((i + 1) % kWindowRows == 0 || i + 1 == size()) all.give_back();
    }
  }

  const Features& all;
  std::span<const std::size_t> rows;
};

// Min-max scaling to [-1, 1] and the mean of each scaled feature, fitted on the training rows.
// The networks see scaled features minus their mean (or, not centred, the scaled features alone).
// Zeros of sparse features count like any value, so a dense and a sparse copy of the same numbers
// are treated alike.
struct InputScaling {
  Scaler scaler;
  std::vector<float> mean;  // of x * factor, in which the offset cancels; not centred: -offset
};
InputScaling fit_input_scaling(const PickedRows& x, bool centred);

// The rows of a data set as networks see them. Dense features are scaled when they are asked for
// and may stay in a file; sparse ones stay sparse and are copied.
class NetRows {
 public:
  // Error(Data) if the number of features is not that of the scaling. `x` lives as long as this.
  NetRows(const PickedRows& x, const InputScaling& scaling);

  std::size_t rows() const { return x_.size(); }
  std::size_t inputs() const { return mean_.size(); }
  bool is_sparse() const { return x_.all.is_sparse(); }
  // Only these rows will be asked for in the near future.
  void expect(std::span<const std::size_t> rows) const;
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
  void centred_row(std::size_t i, float* into) const;

  PickedRows x_;
  CsrMatrix csr_;  // the sparse rows times factor, not centred
  std::vector<float> factor_, mean_, offset_;
};

}  // namespace sieve
