// Included once for every target, as Highway's headers are: see gemm.cpp for how.
#if defined(LABELSIEVE_VECTORS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef LABELSIEVE_VECTORS_INL_H
#undef LABELSIEVE_VECTORS_INL_H
#else
#define LABELSIEVE_VECTORS_INL_H
#endif

#include <cmath>
#include <cstddef>
#include <type_traits>

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace sieve::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// The widest vectors there are. Sums never run across their lanes, so that results do not depend on
// how many there are.
template <class Real>
using Tag = hn::ScalableTag<Real>;
template <class Real>
using Vec = hn::Vec<Tag<Real>>;
template <class Real>
constexpr std::size_t kLanes = hn::MaxLanes(Tag<Real>());

template <class Real>
HWY_INLINE Vec<Real> load(const Real* from) {
  return hn::LoadU(Tag<Real>(), from);
}

template <class Real>
HWY_INLINE void store(Vec<Real> value, Real* to) {
  hn::StoreU(value, Tag<Real>(), to);
}

template <class Real>
HWY_INLINE Vec<Real> all(Real value) {
  return hn::Set(Tag<Real>(), value);
}

// y = f(x) where there is no vector instruction for f.
template <class Real, class Function, class... Vectors>
HWY_INLINE Vec<Real> one_by_one(const Function& f, Vectors... x) {
  constexpr std::size_t kCount = kLanes<Real>;
  Real in[sizeof...(x)][kCount], out[kCount];
  std::size_t which = 0;
  (store<Real>(x, in[which++]), ...);
  for (std::size_t lane = 0; lane < kCount; ++lane)
    if constexpr (sizeof...(x) == 1)
      out[lane] = f(in[0][lane]);
    else
      out[lane] = f(in[0][lane], in[1][lane], in[2][lane]);
  return load(out);
}

// a * b + c, rounded once.
template <class Real>
HWY_INLINE Vec<Real> fused(Vec<Real> a, Vec<Real> b, Vec<Real> c) {
#if HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_EMU128
  return one_by_one<Real>([](Real x, Real y, Real z) { return std::fma(x, y, z); }, a, b, c);
#else
  return hn::MulAdd(a, b, c);
#endif
}

// e^x = 2^n * e^r with |r| <= log(2)/2. Inputs beyond +-87 are taken as +-87.
HWY_INLINE Vec<float> exponential(Vec<float> x) {
  using V = Vec<float>;
  const hn::RebindToSigned<Tag<float>> integers;
  const V kRounder = all(12582912.0F);  // 1.5 * 2^23: adding it rounds to an integer
  x = hn::Min(hn::Max(x, all(-87.0F)), all(87.0F));
  const V shifted = fused<float>(x, all(1.44269504F), kRounder);
  const V n = hn::Sub(shifted, kRounder);
  const V r = fused<float>(n, all(2.12194440e-4F), fused<float>(n, all(-0.693359375F), x));
  V p = all(1.9875691500e-4F);  // minimax polynomial of (e^r - 1 - r) / r^2
  p = fused<float>(p, r, all(1.3981999507e-3F));
  p = fused<float>(p, r, all(8.3334519073e-3F));
  p = fused<float>(p, r, all(4.1665795894e-2F));
  p = fused<float>(p, r, all(1.6666665459e-1F));
  p = fused<float>(p, r, all(5.0000001201e-1F));
  p = hn::Add(fused<float>(hn::Mul(p, r), r, r), all(1.0F));
  const auto exponent = hn::Add(hn::ShiftLeft<23>(hn::BitCast(integers, shifted)),
                                hn::Set(integers, std::int32_t{127} << 23));
  return hn::Mul(p, hn::BitCast(Tag<float>(), exponent));
}

HWY_INLINE Vec<double> exponential(Vec<double> x) {
  return one_by_one<double>([](double value) { return std::exp(value); }, x);
}

template <class Real>
HWY_INLINE Vec<Real> hyperbolic_tangent(Vec<Real> x) {
  const auto one = all(Real(1));
  return hn::Sub(one, hn::Div(all(Real(2)), hn::Add(exponential(hn::Add(x, x)), one)));
}

}  // namespace sieve::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // once for every target
