#include "linalg/products.h"

#include <algorithm>
#include <cstring>
#include <memory>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "linalg/gemm.cpp"
#include "hwy/foreach_target.h"
#include "linalg/vectors-inl.h"

HWY_BEFORE_NAMESPACE();
namespace sieve::HWY_NAMESPACE {
namespace {

// A tile of c stays in registers: some rows by three vectors, with a vector of a and three of b
// beside it.
constexpr std::size_t kTileVectors = 3;
#if HWY_TARGET == HWY_AVX3
constexpr std::size_t kTileRows = 8;
#else
constexpr std::size_t kTileRows = 4;
#endif
// So many rows of b at once, which stay in the innermost cache while the tiles of a column go by.
constexpr std::size_t kDepth = 256;
// So many rows of b ahead of its use a number is asked for.
constexpr std::size_t kAhead = 12;

// Where the numbers of a are: (i, p) at data[i * row + p * column].
template <class Real>
struct Left {
  const Real* data;
  std::size_t row, column;

  HWY_INLINE Left at(std::size_t i, std::size_t p) const {
    return {data + i * row + p * column, row, column};
  }
};

// Rows of b, and of c.
template <class Real>
struct Rows {
  Real* data;
  std::size_t stride;

  HWY_INLINE Rows at(std::size_t i, std::size_t j) const { return {data + i * stride + j, stride}; }
};

// What a sum begins with. Where it will be stored is asked for in time.
template <class Real>
HWY_INLINE Vec<Real> begin(const Real* c, bool add) {
  if (add) return load<Real>(c);
  __builtin_prefetch(c, 1);
  return all(Real(0));
}

template <std::size_t kRows, std::size_t kVectors, class Real>
HWY_INLINE void tile(std::size_t k, Left<Real> a, Rows<const Real> b, bool add, Rows<Real> c) {
  constexpr std::size_t kCount = kLanes<Real>;
  Vec<Real> sums[kRows][kVectors];
#pragma GCC unroll 8
  for (std::size_t i = 0; i < kRows; ++i)
#pragma GCC unroll 4
    for (std::size_t v = 0; v < kVectors; ++v)
      sums[i][v] = begin<Real>(c.data + i * c.stride + v * kCount, add);
  for (std::size_t p = 0; p < k; ++p) {
    Vec<Real> right[kVectors];
#pragma GCC unroll 4
    for (std::size_t v = 0; v < kVectors; ++v) {
      right[v] = load<Real>(b.data + p * b.stride + v * kCount);
      __builtin_prefetch(b.data + (p + kAhead) * b.stride + v * kCount);
    }
#pragma GCC unroll 8
    for (std::size_t i = 0; i < kRows; ++i) {
      const Vec<Real> left = all(a.data[i * a.row + p * a.column]);
#pragma GCC unroll 4
      for (std::size_t v = 0; v < kVectors; ++v)
        sums[i][v] = fused<Real>(left, right[v], sums[i][v]);
    }
  }
#pragma GCC unroll 8
  for (std::size_t i = 0; i < kRows; ++i)
#pragma GCC unroll 4
    for (std::size_t v = 0; v < kVectors; ++v)
      store<Real>(sums[i][v], c.data + i * c.stride + v * kCount);
}

// Where a is given the other way round, its numbers are brought into the order in which tiles read
// them: for each tile, column after column of it.
template <class Real>
void pack(std::size_t m, std::size_t k, Left<Real> a, Real* packed) {
  for (std::size_t i = 0; i < m; i += kTileRows) {
    const std::size_t rows = std::min(kTileRows, m - i);
    for (std::size_t p = 0; p < k; ++p) {
      const Real* from = a.at(i, p).data;
      if (rows == kTileRows && a.row == 1)
        std::memcpy(packed + i * k + p * kTileRows, from, sizeof(Real) * kTileRows);
      else
        for (std::size_t r = 0; r < rows; ++r) packed[i * k + p * kTileRows + r] = from[r * a.row];
    }
  }
}

// All rows of a few columns.
template <std::size_t kVectors, class Real>
HWY_NOINLINE void strip(std::size_t m, std::size_t k, Left<Real> a, Rows<const Real> b, bool add,
                        Rows<Real> c) {
  std::size_t i = 0;
  for (; i + kTileRows <= m; i += kTileRows)
    tile<kTileRows, kVectors, Real>(k, {a.data + i * a.row, a.row, 1}, b, add, c.at(i, 0));
  for (; i < m; ++i) tile<1, kVectors, Real>(k, a.at(i, 0), b, add, c.at(i, 0));
}

// The same where a was packed.
template <std::size_t kVectors, class Real>
HWY_NOINLINE void packed_strip(std::size_t m, std::size_t k, const Real* a, Rows<const Real> b,
                               bool add, Rows<Real> c) {
  std::size_t i = 0;
  for (; i + kTileRows <= m; i += kTileRows)
    tile<kTileRows, kVectors, Real>(k, {a + i * k, 1, kTileRows}, b, add, c.at(i, 0));
  for (const std::size_t first = i; i < m; ++i)
    tile<1, kVectors, Real>(k, {a + first * k + (i - first), 1, kTileRows}, b, add, c.at(i, 0));
}

// Calls take.operator()<vectors>(first column) for as many whole vectors as there are, three at a
// time but for the last: a single one would leave the processor waiting for its own sums.
template <class Real, class Take>
HWY_INLINE std::size_t for_strips(std::size_t n, const Take& take) {
  constexpr std::size_t kCount = kLanes<Real>;
  std::size_t j = 0;
  for (std::size_t left = n / kCount; left > 0;) {
    const std::size_t vectors = left == 4 ? 2 : std::min(kTileVectors, left);
    if (vectors == 3)
      take.template operator()<3>(j);
    else if (vectors == 2)
      take.template operator()<2>(j);
    else
      take.template operator()<1>(j);
    left -= vectors;
    j += vectors * kCount;
  }
  return j;
}

// The last columns, fewer than a vector has: they go through a vector with zeros behind them.
template <class Real>
HWY_NOINLINE void narrow_strip(std::size_t m, std::size_t n, std::size_t k, Left<Real> a,
                               Rows<const Real> b, bool add, Rows<Real> c) {
  constexpr std::size_t kCount = kLanes<Real>;
  Real right[kDepth * kCount], sums[kTileRows * kCount];
  for (std::size_t p = 0; p < k; ++p)
    for (std::size_t j = 0; j < kCount; ++j)
      right[p * kCount + j] = j < n ? b.data[p * b.stride + j] : Real(0);
  for (std::size_t i = 0; i < m; i += kTileRows) {
    const std::size_t rows = std::min(kTileRows, m - i);
    for (std::size_t r = 0; r < rows; ++r)
      for (std::size_t j = 0; j < kCount; ++j)
        sums[r * kCount + j] = add && j < n ? *c.at(i + r, j).data : Real(0);
    for (std::size_t r = 0; r < rows; ++r)
      tile<1, 1, Real>(k, a.at(i + r, 0), {right, kCount}, true, {sums + r * kCount, kCount});
    for (std::size_t r = 0; r < rows; ++r) std::copy_n(sums + r * kCount, n, c.at(i + r, 0).data);
  }
}

template <class Real>
void multiply(std::size_t m, std::size_t n, std::size_t k, Left<Real> a, Rows<const Real> b,
              bool add, Rows<Real> c) {
  for (std::size_t p = 0; p == 0 || p < k; p += kDepth) {
    const std::size_t depth = std::min(kDepth, k - p);
    const bool go_on = add || p > 0;
    const std::size_t j =
        for_strips<Real>(n, [&]<std::size_t kVectors>(std::size_t first) HWY_ATTR {
          strip<kVectors, Real>(m, depth, a.at(0, p), b.at(p, first), go_on, c.at(0, first));
        });
    if (j < n) narrow_strip<Real>(m, n - j, depth, a.at(0, p), b.at(p, j), go_on, c.at(0, j));
  }
}

// The same where numbers of a column of a lie side by side, several rows at once.
template <class Real>
void multiply_transposed(std::size_t m, std::size_t n, std::size_t k, Left<Real> a,
                         Rows<const Real> b, bool add, Rows<Real> c) {
  constexpr std::size_t kPacked = 64;
  alignas(64) Real packed[kPacked * kDepth];
  for (std::size_t p = 0; p == 0 || p < k; p += kDepth)
    for (std::size_t i = 0; i < m; i += kPacked) {
      const std::size_t depth = std::min(kDepth, k - p), rows = std::min(kPacked, m - i);
      const bool go_on = add || p > 0;
      pack<Real>(rows, depth, a.at(i, p), packed);
      const std::size_t j =
          for_strips<Real>(n, [&]<std::size_t kVectors>(std::size_t first) HWY_ATTR {
            packed_strip<kVectors, Real>(rows, depth, packed, b.at(p, first), go_on,
                                         c.at(i, first));
          });
      if (j < n) narrow_strip<Real>(rows, n - j, depth, a.at(i, p), b.at(p, j), go_on, c.at(i, j));
    }
}

// Picks between the two.
template <class Real>
void multiply_any(std::size_t m, std::size_t n, std::size_t k, Left<Real> a, Rows<const Real> b,
                  bool add, Rows<Real> c) {
  if (a.column == 1)
    multiply<Real>(m, n, k, a, b, add, c);
  else
    multiply_transposed<Real>(m, n, k, a, b, add, c);
}

}  // namespace

void multiply_float(std::size_t m, std::size_t n, std::size_t k, const float* a, std::size_t a_row,
                    std::size_t a_column, const float* b, std::size_t b_stride, bool add, float* c,
                    std::size_t c_stride) {
  multiply_any<float>(m, n, k, {a, a_row, a_column}, {b, b_stride}, add, {c, c_stride});
}

void multiply_double(std::size_t m, std::size_t n, std::size_t k, const double* a,
                     std::size_t a_row, std::size_t a_column, const double* b, std::size_t b_stride,
                     bool add, double* c, std::size_t c_stride) {
  multiply_any<double>(m, n, k, {a, a_row, a_column}, {b, b_stride}, add, {c, c_stride});
}

}  // namespace sieve::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sieve {
namespace {

HWY_EXPORT(multiply_float);
HWY_EXPORT(multiply_double);

// Rows of b, where it is given the other way round.
template <class Real>
std::unique_ptr<Real[]> turned(std::size_t n, std::size_t k, Operand<Real> b) {
  auto rows = std::make_unique_for_overwrite<Real[]>(n * k);
  const std::size_t whole = k / 8 * 8;
  transpose_strip(b.data, b.stride, whole, 0, n, rows.get(), n);
  for (std::size_t p = whole; p < k; ++p)
    for (std::size_t j = 0; j < n; ++j) rows[p * n + j] = b.data[j * b.stride + p];
  return rows;
}

template <class Real, class Kernel>
void run(const Kernel& kernel, std::size_t m, std::size_t n, std::size_t k, Operand<Real> a,
         Operand<Real> b, bool add, Real* c, std::size_t c_stride) {
  std::unique_ptr<Real[]> rows;
  if (b.transposed) {
    rows = turned(n, k, b);
    b = {rows.get(), n};
  }
  const std::size_t row = a.transposed ? 1 : a.stride, column = a.transposed ? a.stride : 1;
  kernel(m, n, k, a.data, row, column, b.data, b.stride, add, c, c_stride);
}

}  // namespace

template <>
void gemm(std::size_t m, std::size_t n, std::size_t k, Operand<float> a, Operand<float> b, bool add,
          float* c, std::size_t c_stride) {
  run<float>(HWY_DYNAMIC_DISPATCH(multiply_float), m, n, k, a, b, add, c, c_stride);
}

template <>
void gemm(std::size_t m, std::size_t n, std::size_t k, Operand<double> a, Operand<double> b,
          bool add, double* c, std::size_t c_stride) {
  run<double>(HWY_DYNAMIC_DISPATCH(multiply_double), m, n, k, a, b, add, c, c_stride);
}

}  // namespace sieve
#endif
