#include "linalg/products.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "linalg/row_products.cpp"
#include "hwy/foreach_target.h"
#include "linalg/vectors-inl.h"

HWY_BEFORE_NAMESPACE();
namespace sieve::HWY_NAMESPACE {
namespace {

// Sums of this many columns stay in registers while the entries go by.
template <class Real, std::size_t kVectors>
HWY_INLINE void times_columns(RowEntries x, const Real* w, std::size_t stride, Real* out) {
  constexpr std::size_t kCount = kLanes<Real>;
  Vec<Real> sums[kVectors];
#pragma GCC unroll 8
  for (std::size_t v = 0; v < kVectors; ++v) sums[v] = all(Real(0));
  for (std::size_t e = 0; e < x.count; ++e) {
    const Vec<Real> value = all(static_cast<Real>(x.values[e]));
    const Real* from = w + (x.columns != nullptr ? x.columns[e] : e) * stride;
#pragma GCC unroll 8
    for (std::size_t v = 0; v < kVectors; ++v)
      sums[v] = fused<Real>(value, load<Real>(from + v * kCount), sums[v]);
  }
#pragma GCC unroll 8
  for (std::size_t v = 0; v < kVectors; ++v) store<Real>(sums[v], out + v * kCount);
}

// Fewer columns than a vector has.
template <class Real>
void times_last_columns(RowEntries x, const Real* w, std::size_t stride, std::size_t cols,
                        Real* out) {
  const Tag<Real> tag;
  const auto there = hn::FirstN(tag, cols);
  Vec<Real> sum = all(Real(0));
  for (std::size_t e = 0; e < x.count; ++e) {
    const Real* from = w + (x.columns != nullptr ? x.columns[e] : e) * stride;
    sum = fused<Real>(all(static_cast<Real>(x.values[e])), hn::MaskedLoad(there, tag, from), sum);
  }
  hn::BlendedStore(sum, there, tag, out);
}

template <class Real>
void times(RowEntries x, const Real* w, std::size_t stride, std::size_t cols, Real* out) {
  constexpr std::size_t kCount = kLanes<Real>;
  std::size_t j = 0;
  for (; j + 8 * kCount <= cols; j += 8 * kCount) times_columns<Real, 8>(x, w + j, stride, out + j);
  for (; j + kCount <= cols; j += kCount) times_columns<Real, 1>(x, w + j, stride, out + j);
  if (j < cols) times_last_columns<Real>(x, w + j, stride, cols - j, out + j);
}

}  // namespace

void times_float(RowEntries x, const float* w, std::size_t stride, std::size_t cols, float* out) {
  times<float>(x, w, stride, cols, out);
}
void times_double(RowEntries x, const double* w, std::size_t stride, std::size_t cols,
                  double* out) {
  times<double>(x, w, stride, cols, out);
}

void add(RowEntries x, const double* delta, double* w, std::size_t stride, std::size_t cols) {
  for (std::size_t e = 0; e < x.count; ++e) {
    const Vec<double> value = all(static_cast<double>(x.values[e]));
    double* to = w + (x.columns != nullptr ? x.columns[e] : e) * stride;
    std::size_t j = 0;
    for (; j + kLanes<double> <= cols; j += kLanes<double>)
      store<double>(fused<double>(value, load<double>(delta + j), load<double>(to + j)), to + j);
    for (; j < cols; ++j) to[j] = std::fma(double{x.values[e]}, delta[j], to[j]);
  }
}

// Sixteen sums, whatever the width of a vector.
void dot_lanes(const float* a, const double* b, std::size_t size, double* sums) {
  constexpr std::size_t kCount = kLanes<double>, kVectors = 16 / kCount;
  const hn::Rebind<float, Tag<double>> narrow;
  Vec<double> sum[kVectors];
  for (std::size_t v = 0; v < kVectors; ++v) sum[v] = all(0.0);
  for (std::size_t j = 0; j + 16 <= size; j += 16)
    for (std::size_t v = 0; v < kVectors; ++v)
      sum[v] = fused<double>(hn::PromoteTo(Tag<double>(), hn::LoadU(narrow, a + j + v * kCount)),
                             load<double>(b + j + v * kCount), sum[v]);
  for (std::size_t v = 0; v < kVectors; ++v) store<double>(sum[v], sums + v * kCount);
}

void add_scaled_lanes(double factor, const float* from, std::size_t size, double* to) {
  const hn::Rebind<float, Tag<double>> narrow;
  const Vec<double> by = all(factor);
  for (std::size_t j = 0; j + kLanes<double> <= size; j += kLanes<double>)
    store<double>(fused<double>(by, hn::PromoteTo(Tag<double>(), hn::LoadU(narrow, from + j)),
                                load<double>(to + j)),
                  to + j);
}
std::size_t lanes() {
  return kLanes<double>;
}

}  // namespace sieve::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sieve {

HWY_EXPORT(times_float);
HWY_EXPORT(times_double);
HWY_EXPORT(add);
HWY_EXPORT(dot_lanes);
HWY_EXPORT(add_scaled_lanes);
HWY_EXPORT(lanes);

RowEntries entries_of(const CsrMatrix& x, std::size_t row) {
  const CsrMatrix::Row sparse = x.row(row);
  return {sparse.columns.data(), sparse.values.data(), sparse.values.size()};
}

void row_times(RowEntries x, const float* w, std::size_t stride, std::size_t cols, float* out) {
  HWY_DYNAMIC_DISPATCH(times_float)(x, w, stride, cols, out);
}
void row_times(RowEntries x, const double* w, std::size_t stride, std::size_t cols, double* out) {
  HWY_DYNAMIC_DISPATCH(times_double)(x, w, stride, cols, out);
}
void add_outer(RowEntries x, const double* delta, double* w, std::size_t stride, std::size_t cols) {
  HWY_DYNAMIC_DISPATCH(add)(x, delta, w, stride, cols);
}

double dot(const float* a, const double* b, std::size_t size) {
  std::array<double, 16> sums;
  HWY_DYNAMIC_DISPATCH(dot_lanes)(a, b, size, sums.data());
  for (std::size_t j = size / 16 * 16; j < size; ++j)
    sums[0] = std::fma(static_cast<double>(a[j]), b[j], sums[0]);
  return std::accumulate(sums.begin(), sums.end(), 0.0);
}

void add_scaled(double factor, const float* from, std::size_t size, double* to) {
  HWY_DYNAMIC_DISPATCH(add_scaled_lanes)(factor, from, size, to);
  const std::size_t lanes = HWY_DYNAMIC_DISPATCH(lanes)();
  for (std::size_t j = size / lanes * lanes; j < size; ++j)
    to[j] = std::fma(factor, static_cast<double>(from[j]), to[j]);
}

}  // namespace sieve
#endif
