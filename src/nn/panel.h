#pragma once

#include <cstddef>

#include "labelsieve/matrix.h"
#include "linalg/paging.h"

namespace sieve {

// Widths inside the networks are rounded up to whole 64-byte lines of float32, so that vectors of
// any length divide them. The extra columns are zero and stay zero.
constexpr std::size_t kLane = 16;

constexpr std::size_t padded_width(std::size_t width) {
  return (width + kLane - 1) / kLane * kLane;
}

// Rows of activations are an odd number of lines apart: with a power of two between them a column
// would fall on a few places of the cache and push itself out.
constexpr std::size_t row_stride(std::size_t width) {
  return padded_width(width) / kLane % 2 == 0 ? padded_width(width) + kLane : padded_width(width);
}

// Rows of numbers that belong to someone else.
template <class T>
struct View {
  T* data = nullptr;
  std::size_t rows = 0, cols = 0, stride = 0;

  T* row(std::size_t i) const { return data + i * stride; }
  T& operator()(std::size_t i, std::size_t j) const { return data[i * stride + j]; }
  std::size_t width() const { return padded_width(cols); }
  // Rows [first, last).
  View slice(std::size_t first, std::size_t last) const {
    return {row(first), last - first, cols, stride};
  }
  // Columns [first, first + count), both multiples of kLane; the padding counts as columns.
  View columns(std::size_t first, std::size_t count) const {
    return {data + first, rows, count, stride};
  }
  operator View<const T>() const { return {data, rows, cols, stride}; }
};

// A matrix whose rows are row_stride(cols) apart. The contents start as zero.
template <class Real>
class Panel {
 public:
  Panel() = default;
  Panel(std::size_t rows, std::size_t cols) : cols_(cols), values_(rows, row_stride(cols)) {
    prefer_huge_pages(values_.data(), values_.rows() * values_.stride() * sizeof(Real));
  }

  std::size_t rows() const { return values_.rows(); }
  std::size_t cols() const { return cols_; }
  std::size_t stride() const { return values_.cols(); }
  std::size_t width() const { return padded_width(cols_); }
  Real* row(std::size_t i) { return values_.data() + i * stride(); }
  const Real* row(std::size_t i) const { return values_.data() + i * stride(); }
  Real& operator()(std::size_t i, std::size_t j) { return row(i)[j]; }
  const Real& operator()(std::size_t i, std::size_t j) const { return row(i)[j]; }
  // The first `count` rows.
  View<Real> view(std::size_t count) { return {values_.data(), count, cols_, stride()}; }
  View<const Real> view(std::size_t count) const {
    return {values_.data(), count, cols_, stride()};
  }

 private:
  std::size_t cols_ = 0;
  BasicMatrix<Real> values_;
};

}  // namespace sieve
