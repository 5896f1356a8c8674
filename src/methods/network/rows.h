#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "data/prepare/scaling.h"
#include "linalg/paging.h"
#include "nn/mlp.h"

namespace sieve {

// Where a batch of up to `rows` rows is put together. One batch at a time, and one for each thread.
struct BatchRoom {
  BatchRoom() = default;
  BatchRoom(bool is_sparse, std::size_t rows, std::size_t inputs);

  Panel<float> dense;
  CsrMatrix sparse;
  std::vector<std::size_t> places;  // of the rows in `sparse`
};

// The rows of a data set as networks see them: scaled when they are asked for, wherever they are.
class NetRows {
 public:
  // Error(Data) if the number of features is not that of the scaling.
  NetRows(Features x, const InputScaling& scaling);

  std::size_t rows() const { return x_.rows(); }
  std::size_t inputs() const { return mean_.size(); }
  bool is_sparse() const { return x_.is_sparse(); }
  // Only these rows will be asked for in the near future.
  void expect(std::span<const std::size_t> rows) const { expect_rows(x_, rows); }
  BatchRoom room(std::size_t rows) const { return {is_sparse(), rows, inputs()}; }
  // The given rows as input of a network, gathered into `room`.
  Input<float> batch(std::span<const std::size_t> rows, BatchRoom& room) const;
  // The mean row in the scaled space, and the variance of a row there summed over features.
  std::vector<float> scaled_mean() const;
  double total_variance() const;
  // Row i in the scaled space [-1, 1]^d, which the generator imitates.
  void scaled_row(std::size_t i, std::span<float> into) const;

 private:
  void gather_sparse(std::span<const std::size_t> rows, BatchRoom& room) const;
  void centred_row(RowEntries row, float* into) const;
  double sparse_variance() const;

  Features x_;
  std::vector<float> factor_, mean_, offset_;
  std::vector<std::uint32_t> centred_;  // of sparse rows: features with a mean other than 0
  bool all_centred_ = false;            // all have one, and none is listed
};

// The rows in the order of an epoch: cut into windows of kWindowRows neighbours, the windows in
// random order, and the rows of each in random order. So whoever follows it needs the rows of one
// window at a time. Up to one window it is a plain shuffle.
std::vector<std::size_t> windowed_order(std::span<const std::size_t> rows, std::uint64_t seed,
                                        std::uint64_t epoch);

}  // namespace sieve
