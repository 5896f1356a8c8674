#include "linalg/design.h"

#include <algorithm>
#include <cassert>
#include <span>
#include <vector>

#include <fmt/format.h>

#include "labelsieve/error.h"
#include "linalg/entries.h"
#include "linalg/products.h"

namespace sieve {
namespace {

constexpr std::size_t kRows = 128;    // widened at once: few enough to stay in the cache
constexpr std::size_t kStrip = 64;    // rows of a result that make one piece of work
constexpr std::size_t kWidth = 1024;  // columns widened at once for the kernel

template <class Visit>
void for_each_entry(const Design& phi, std::size_t row, Visit&& visit) {
  for_each_entry(phi.x, row, visit);
  if (phi.bias) visit(phi.x.cols(), 1.0F);
}

// Only the entries in columns [first, last).
template <class Visit>
void for_each_entry_in(const Design& phi, std::size_t row, std::size_t first, std::size_t last,
                       Visit&& visit) {
  const CsrMatrix::Row entries = phi.x.sparse().row(row);
  const auto begin = std::ranges::lower_bound(entries.columns, first);
  for (auto e = static_cast<std::size_t>(begin - entries.columns.begin());
       e < entries.columns.size() && entries.columns[e] < last; ++e)
    visit(std::size_t{entries.columns[e]}, double{entries.values[e]});
  if (phi.bias && phi.x.cols() >= first && phi.x.cols() < last) visit(phi.x.cols(), 1.0);
}

// Row i of dense features, from column `from` on, as far as `out` reaches.
void widen(const Design& phi, std::size_t i, std::size_t from, std::span<double> out) {
  RowRoom room;
  const RowEntries row = phi.x.row(i, room);
  for (std::size_t j = 0; j < out.size(); ++j)
    out[j] = from + j < row.count ? double{row.values[from + j]} : 1.0;
}

// Calls take(wide, first, last) for block after block of dense rows.
template <class Take>
void for_wide_blocks(const Design& phi, ThreadPool& pool, Take&& take) {
  MatrixD wide(std::min(kRows, phi.rows()), phi.cols());
  for (std::size_t first = 0; first < phi.rows(); first += kRows) {
    const std::size_t last = std::min(first + kRows, phi.rows());
    pool.for_blocks(last - first, kStrip, [&](std::size_t a, std::size_t b) {
      for (std::size_t i = a; i < b; ++i) widen(phi, first + i, 0, wide.row(i));
    });
    take(wide, first, last);
  }
}

// Adds rows [first, last) of A'A from the diagonal on, a few at a time, where A is the first `rows`
// of `wide`. Not by OpenBLAS, which falls back to SSE on processors younger than itself and then
// takes five times as long.
void add_squares(const MatrixD& wide, std::size_t rows, std::size_t first, std::size_t last,
                 MatrixD& out) {
  constexpr std::size_t kAtOnce = 8;
  for (std::size_t i = first; i < last; i += kAtOnce)
    gemm<double>(std::min(kAtOnce, last - i), out.cols() - i, rows,
                 {wide.data() + i, wide.stride(), true}, {wide.data() + i, wide.stride()}, true,
                 &out(i, i), out.stride());
}

void mirror_upper(MatrixD& a, ThreadPool& pool) {
  pool.for_blocks(a.rows(), kStrip, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i)
      for (std::size_t j = 0; j < i; ++j) a(i, j) = a(j, i);
  });
}

}  // namespace

MatrixD times(const Design& phi, const MatrixD& w, ThreadPool& pool) {
  assert(w.rows() == phi.cols());
  MatrixD out(phi.rows(), w.cols());
  pool.for_blocks(phi.rows(), kStrip, [&](std::size_t first, std::size_t last) {
    if (phi.x.is_sparse()) {
      RowRoom room;
      for (std::size_t i = first; i < last; ++i) {
        row_times(phi.x.row(i, room), w.data(), w.stride(), w.cols(), out.row(i).data());
        if (phi.bias) axpy(1, w.row(phi.x.cols()), out.row(i));
      }
      return;
    }
    MatrixD wide(last - first, phi.cols());
    for (std::size_t i = first; i < last; ++i) widen(phi, i, 0, wide.row(i - first));
    gemm<double>(last - first, w.cols(), phi.cols(), {wide.data(), wide.stride()},
                 {w.data(), w.stride()}, false, out.row(first).data(), out.stride());
  });
  return out;
}

MatrixD transposed_times(const Design& phi, const MatrixD& y, ThreadPool& pool) {
  assert(y.rows() == phi.rows());
  MatrixD out(phi.cols(), y.cols());
  if (phi.x.is_sparse()) {
    pool.for_blocks(phi.cols(), kStrip, [&](std::size_t first, std::size_t last) {
      for (std::size_t i = 0; i < phi.rows(); ++i)
        for_each_entry_in(phi, i, first, last,
                          [&](std::size_t j, double value) { axpy(value, y.row(i), out.row(j)); });
    });
    return out;
  }
  for_wide_blocks(phi, pool, [&](const MatrixD& wide, std::size_t begin, std::size_t end) {
    pool.for_blocks(phi.cols(), kStrip, [&](std::size_t first, std::size_t last) {
      gemm<double>(last - first, y.cols(), end - begin, {wide.data() + first, wide.stride(), true},
                   {y.row(begin).data(), y.stride()}, true, out.row(first).data(), out.stride());
    });
  });
  return out;
}

MatrixD gram(const Design& phi, ThreadPool& pool) {
  const std::size_t size = phi.cols();
  MatrixD out(size, size);
  if (phi.x.is_sparse()) {
    pool.for_blocks(size, kStrip, [&](std::size_t first, std::size_t last) {
      for (std::size_t i = 0; i < phi.rows(); ++i)
        for_each_entry_in(phi, i, first, last, [&](std::size_t a, double left) {
          double* const row = out.row(a).data();
          for_each_entry_in(phi, i, a, size,
                            [&](std::size_t b, double right) { row[b] += left * right; });
        });
    });
  } else {
    for_wide_blocks(phi, pool, [&](const MatrixD& wide, std::size_t begin, std::size_t end) {
      pool.for_blocks(size, kStrip, [&](std::size_t first, std::size_t last) {
        add_squares(wide, end - begin, first, last, out);
      });
    });
  }
  mirror_upper(out, pool);
  return out;
}

MatrixD kernel(const Design& phi, ThreadPool& pool) {
  const std::size_t size = phi.rows();
  MatrixD out(size, size);
  if (phi.x.is_sparse()) {
    pool.for_blocks(size, kStrip, [&](std::size_t first, std::size_t last) {
      std::vector<double> spread(phi.cols());
      for (std::size_t i = first; i < last; ++i) {
        for_each_entry(phi, i, [&](std::size_t j, double value) { spread[j] = value; });
        for (std::size_t k = i; k < size; ++k)
          for_each_entry(phi, k,
                         [&](std::size_t j, double value) { out(i, k) += spread[j] * value; });
        for_each_entry(phi, i, [&](std::size_t j, double) { spread[j] = 0; });
      }
    });
  } else {
    for (std::size_t from = 0; from < phi.cols(); from += kWidth) {
      const std::size_t to = std::min(from + kWidth, phi.cols());
      MatrixD wide(size, to - from);
      for (std::size_t i = 0; i < size; ++i) widen(phi, i, from, wide.row(i));
      pool.for_blocks(size, kStrip, [&](std::size_t first, std::size_t last) {
        gemm<double>(last - first, size - first, to - from, {wide.row(first).data(), wide.stride()},
                     {wide.row(first).data(), wide.stride(), true}, true, &out(first, first),
                     out.stride());
      });
    }
  }
  mirror_upper(out, pool);
  return out;
}

MatrixD numbers_of(const LabelMatrix& labels) {
  MatrixD out(labels.rows(), labels.labels());
  for (std::size_t i = 0; i < labels.rows(); ++i)
    labels.for_each(i, [&](std::size_t k) { out(i, k) = 1; });
  return out;
}

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
