#include "linalg/resolvent.h"

#include <fmt/format.h>

#include <algorithm>

#include "labelsieve/error.h"

namespace sieve {
namespace {

// The matrix, which its eigenvectors replace, and twice as much work room for LAPACK.
constexpr double kBytesAnEntry = 3 * sizeof(double);

void check_size(const Design& phi, std::size_t size, std::size_t largest) {
  if (size <= largest) return;
  throw Error(
      Failure::Usage,
      fmt::format("{} rows and {} features need a matrix of {} x {}, about {:.1f} GB", phi.rows(),
                  phi.x.cols(), size, size,
                  kBytesAnEntry * static_cast<double>(size) * static_cast<double>(size) / 1e9),
      {}, fmt::format("choose fewer features or rows, or allow it with largest-matrix={}", size));
}

}  // namespace

Resolvent::Resolvent(const Design& phi, std::size_t largest, ThreadPool& pool, Form form)
    : phi_(phi),
      pool_(pool),
      by_rows_(form == Form::Rows || (form == Form::Smaller && phi.rows() < phi.cols())) {
  check_size(phi, by_rows_ ? phi.rows() : phi.cols(), largest);
  eigen_ = symmetric_eigen(by_rows_ ? kernel(phi, pool) : gram(phi, pool));
}

// Rows along the eigenvectors E, times diag(values + c)^-1
void Resolvent::divide(MatrixD& along, double c) const {
  for (std::size_t j = 0; j < along.rows(); ++j) {
    // Rounding may leave an eigenvalue a little below 0.
    const double scale = 1 / (std::max(eigen_.values[j], 0.0) + c);
    for (double& value : along.row(j)) value *= scale;
  }
}

MatrixD Resolvent::turned(const MatrixD& b) const {
  return by_rows_ ? b.clone() : times(eigen_.vectors, b, pool_);
}

MatrixD Resolvent::turned_back(const MatrixD& b) const {
  return by_rows_ ? b.clone() : transposed_times(eigen_.vectors, b, pool_);
}

MatrixD Resolvent::apply_turned(MatrixD b, double c) const {
  if (!by_rows_) {
    divide(b, c);
    return b;
  }
  // (Phi' Phi + c I)^-1 = (I - Phi' (Phi Phi' + c I)^-1 Phi) / c
  MatrixD along = times(eigen_.vectors, times(phi_, b, pool_), pool_);
  divide(along, c);
  add(b, -1, transposed_times(phi_, transposed_times(eigen_.vectors, along, pool_), pool_));
  for (std::size_t j = 0; j < b.rows(); ++j)
    for (double& value : b.row(j)) value /= c;
  return b;
}

}  // namespace sieve
