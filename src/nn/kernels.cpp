#include "nn/kernels.h"

#include <array>
#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "nn/kernels.cpp"
#include "hwy/foreach_target.h"
#include "linalg/vectors-inl.h"

HWY_BEFORE_NAMESPACE();
namespace sieve::HWY_NAMESPACE {
namespace {

// Calls pass(act), one loop for each activation so that the choice is made outside the loop.
template <class Real, class Pass>
HWY_INLINE void with_activation(ActivationRule<Real> rule, const Pass& pass) {
  using V = Vec<Real>;
  const V slope = all(rule.slope);
  switch (rule.kind) {
    case Activation::Identity:
      return pass([](V v) HWY_ATTR { return v; });
    case Activation::LeakyRelu:
      return pass([slope](V v) HWY_ATTR { return hn::Max(v, hn::Mul(slope, v)); });
    case Activation::Tanh:
      return pass([](V v) HWY_ATTR { return hyperbolic_tangent<Real>(v); });
  }
}

// The same for delta * act', with the derivative as a function of the output.
template <class Real, class Pass>
HWY_INLINE void with_derivative(ActivationRule<Real> rule, const Pass& pass) {
  using V = Vec<Real>;
  const V slope = all(rule.slope), keep = all(rule.keep), one = all(Real(1));
  switch (rule.kind) {
    case Activation::Identity:
      return pass([](V delta, V) HWY_ATTR { return delta; });
    case Activation::LeakyRelu:
      return pass([slope](V delta, V y) HWY_ATTR {
        return hn::IfThenElse(hn::Gt(y, hn::Zero(Tag<Real>())), delta, hn::Mul(slope, delta));
      });
    case Activation::Tanh:
      return pass([keep, one](V delta, V y) HWY_ATTR {
        const V full = hn::Mul(keep, y);
        return hn::Mul(delta, fused<Real>(hn::Neg(full), full, one));
      });
  }
}

template <class Real>
void activate(ActivationRule<Real> rule, View<Real> x, const Real* shift) {
  with_activation(rule, [&](const auto& act) HWY_ATTR {
    for (std::size_t i = 0; i < x.rows; ++i) {
      Real* row = x.row(i);
      for (std::size_t j = 0; j < x.width(); j += kLanes<Real>)
        store<Real>(act(hn::Add(load<Real>(row + j), load<Real>(shift + j))), row + j);
    }
  });
}

template <class Real>
void normalise_and_activate(ActivationRule<Real> rule, View<const Real> sums, const Real* mean,
                            const Real* factor, const Real* shift, View<Real> out) {
  with_activation(rule, [&](const auto& act) HWY_ATTR {
    for (std::size_t i = 0; i < out.rows; ++i) {
      const Real* x = sums.row(i);
      Real* y = out.row(i);
      for (std::size_t j = 0; j < out.width(); j += kLanes<Real>)
        store<Real>(act(fused<Real>(load<Real>(factor + j),
                                    hn::Sub(load<Real>(x + j), load<Real>(mean + j)),
                                    load<Real>(shift + j))),
                    y + j);
    }
  });
}

// Calls body.operator()<vectors>(first column) for groups of columns whose sums stay in registers
// while the rows go by.
template <class Real, class Body>
HWY_INLINE void for_column_groups(std::size_t width, const Body& body) {
  constexpr std::size_t kCount = kLanes<Real>;
  std::size_t j = 0;
  for (; j + 3 * kCount <= width; j += 3 * kCount) body.template operator()<3>(j);
  for (; j < width; j += kCount) body.template operator()<1>(j);
}

template <class Real>
void backward_activation(ActivationRule<Real> rule, View<const Real> out, View<Real> delta,
                         Real* sums) {
  with_derivative(rule, [&](const auto& back) HWY_ATTR {
    for_column_groups<Real>(delta.width(), [&]<std::size_t kVectors>(std::size_t j) HWY_ATTR {
      Vec<Real> sum[kVectors];
      for (std::size_t v = 0; v < kVectors; ++v) sum[v] = all(Real(0));
      for (std::size_t i = 0; i < delta.rows; ++i)
        for (std::size_t v = 0; v < kVectors; ++v) {
          const std::size_t at = j + v * kLanes<Real>;
          const Vec<Real> now = back(load<Real>(delta.row(i) + at), load<Real>(out.row(i) + at));
          store<Real>(now, delta.row(i) + at);
          sum[v] = hn::Add(sum[v], now);
        }
      for (std::size_t v = 0; v < kVectors; ++v) store<Real>(sum[v], sums + j + v * kLanes<Real>);
    });
  });
}

template <class Real>
void column_moments(View<const Real> x, Real* sums, Real* squares) {
  const Vec<Real> share = all(Real(1) / static_cast<Real>(x.rows));
  for_column_groups<Real>(x.width(), [&]<std::size_t kVectors>(std::size_t j) HWY_ATTR {
    Vec<Real> sum[kVectors], square[kVectors], mean[kVectors];
    for (std::size_t v = 0; v < kVectors; ++v) sum[v] = square[v] = all(Real(0));
    for (std::size_t i = 0; i < x.rows; ++i)
      for (std::size_t v = 0; v < kVectors; ++v)
        sum[v] = hn::Add(sum[v], load<Real>(x.row(i) + j + v * kLanes<Real>));
    for (std::size_t v = 0; v < kVectors; ++v) mean[v] = hn::Mul(share, sum[v]);
    for (std::size_t i = 0; i < x.rows; ++i)
      for (std::size_t v = 0; v < kVectors; ++v) {
        const Vec<Real> distance = hn::Sub(load<Real>(x.row(i) + j + v * kLanes<Real>), mean[v]);
        square[v] = fused<Real>(distance, distance, square[v]);
      }
    for (std::size_t v = 0; v < kVectors; ++v) {
      store<Real>(sum[v], sums + j + v * kLanes<Real>);
      store<Real>(square[v], squares + j + v * kLanes<Real>);
    }
  });
}

template <class Real>
void column_products(View<const Real> delta, View<const Real> x, const Real* mean, Real* products) {
  for_column_groups<Real>(x.width(), [&]<std::size_t kVectors>(std::size_t j) HWY_ATTR {
    Vec<Real> sum[kVectors], centre[kVectors];
    for (std::size_t v = 0; v < kVectors; ++v) {
      sum[v] = all(Real(0));
      centre[v] = load<Real>(mean + j + v * kLanes<Real>);
    }
    for (std::size_t i = 0; i < x.rows; ++i)
      for (std::size_t v = 0; v < kVectors; ++v) {
        const std::size_t at = j + v * kLanes<Real>;
        sum[v] = fused<Real>(load<Real>(delta.row(i) + at),
                             hn::Sub(load<Real>(x.row(i) + at), centre[v]), sum[v]);
      }
    for (std::size_t v = 0; v < kVectors; ++v) store<Real>(sum[v], products + j + v * kLanes<Real>);
  });
}

template <class Real>
void backward_normalisation(View<const Real> x, const NormBackward<Real>& norm, View<Real> delta) {
  for (std::size_t i = 0; i < delta.rows; ++i) {
    const Real* row = x.row(i);
    Real* d = delta.row(i);
    for (std::size_t j = 0; j < delta.width(); j += kLanes<Real>) {
      const Vec<Real> distance = hn::Sub(load<Real>(row + j), load<Real>(norm.mean + j));
      const Vec<Real> rest = hn::Sub(load<Real>(d + j), load<Real>(norm.mean_delta + j));
      store<Real>(hn::Mul(load<Real>(norm.factor + j),
                          fused<Real>(hn::Neg(load<Real>(norm.slope + j)), distance, rest)),
                  d + j);
    }
  }
}

// Calls body(first) for whole vectors and last(first, count) for what is left behind them.
template <class Real, class Body, class Last>
HWY_INLINE void for_vectors(std::size_t n, const Body& body, const Last& last) {
  std::size_t j = 0;
  for (; j + kLanes<Real> <= n; j += kLanes<Real>) body(j);
  if (j < n) last(j, n - j);
}

template <class Real>
HWY_INLINE Vec<Real> load_first(const Real* from, std::size_t count) {
  const Tag<Real> tag;
  return hn::MaskedLoad(hn::FirstN(tag, count), tag, from);
}

template <class Real>
HWY_INLINE void store_first(Vec<Real> value, Real* to, std::size_t count) {
  const Tag<Real> tag;
  hn::BlendedStore(value, hn::FirstN(tag, count), tag, to);
}

template <class Real>
void axpy(Real a, const Real* x, Real* y, std::size_t n) {
  const Vec<Real> by = all(a);
  for_vectors<Real>(
      n,
      [&](std::size_t j)
          HWY_ATTR { store<Real>(fused<Real>(by, load<Real>(x + j), load<Real>(y + j)), y + j); },
      [&](std::size_t j, std::size_t count) HWY_ATTR {
        store_first<Real>(fused<Real>(by, load_first(x + j, count), load_first<Real>(y + j, count)),
                          y + j, count);
      });
}

template <class Real>
void average(Real rate, const Real* values, Real* average, std::size_t n) {
  const Vec<Real> by = all(rate);
  const auto moved = [&](Vec<Real> value, Vec<Real> before)
                         HWY_ATTR { return fused<Real>(by, hn::Sub(value, before), before); };
  for_vectors<Real>(
      n,
      [&](std::size_t j) HWY_ATTR {
        store<Real>(moved(load<Real>(values + j), load<Real>(average + j)), average + j);
      },
      [&](std::size_t j, std::size_t count) HWY_ATTR {
        store_first<Real>(
            moved(load_first(values + j, count), load_first<Real>(average + j, count)), average + j,
            count);
      });
}

// For each byte, its eight bits as numbers.
template <class Real>
constexpr auto kBits = [] {
  std::array<std::array<Real, 8>, 256> table{};
  for (std::size_t byte = 0; byte < 256; ++byte)
    for (std::size_t bit = 0; bit < 8; ++bit) table[byte][bit] = static_cast<Real>(byte >> bit & 1);
  return table;
}();

template <class Real>
void apply_mask(const std::uint64_t* mask, std::size_t words, std::size_t first, Real factor,
                View<Real> x) {
  const hn::CappedTag<Real, 8> tag;
  const auto by = hn::Set(tag, factor);
  for (std::size_t i = 0; i < x.rows; ++i)
    for (std::size_t j = 0; j < x.width(); j += 8) {
      const std::size_t bit = first + j;
      const std::uint64_t word = mask[i * words + bit / 64];
      const Real* on = kBits<Real>[word >> (bit % 64) & 0xff].data();
      Real* unit = x.row(i) + j;
      for (std::size_t u = 0; u < 8; u += hn::MaxLanes(tag))
        hn::StoreU(hn::Mul(hn::LoadU(tag, unit + u), hn::Mul(by, hn::LoadU(tag, on + u))), tag,
                   unit + u);
    }
}

template <class Real>
void tanh_features(View<const Real> sums, const Real* shift, View<Real> x) {
  for (std::size_t i = 0; i < x.rows; ++i) {
    const Real* from = sums.row(i);
    Real* to = x.row(i);
    const Vec<Real> by = all(shift[i]);
    for_vectors<Real>(
        x.cols,
        [&](std::size_t j) HWY_ATTR {
          store<Real>(hyperbolic_tangent<Real>(hn::Add(load<Real>(from + j), by)), to + j);
        },
        [&](std::size_t j, std::size_t count) HWY_ATTR {
          store_first<Real>(
              hyperbolic_tangent<Real>(hn::Add(load_first<Real>(from + j, count), by)), to + j,
              count);
        });
  }
}

// Sixteen sums side by side for each row, whatever the width of a vector, then over those.
template <class Real>
void backward_tanh_features(View<const Real> x, View<Real> gradient, Real* sums) {
  constexpr std::size_t kVectors = kLane / kLanes<Real>;
  const Vec<Real> one = all(Real(1));
  for (std::size_t i = 0; i < x.rows; ++i) {
    const Real* y = x.row(i);
    Real* g = gradient.row(i);
    Vec<Real> side[kVectors];
    for (std::size_t v = 0; v < kVectors; ++v) side[v] = all(Real(0));
    std::size_t j = 0;
    for (; j + kLane <= x.cols; j += kLane)
      for (std::size_t v = 0; v < kVectors; ++v) {
        const std::size_t at = j + v * kLanes<Real>;
        const Vec<Real> value = load<Real>(y + at);
        const Vec<Real> now = hn::Mul(load<Real>(g + at), fused<Real>(hn::Neg(value), value, one));
        store<Real>(now, g + at);
        side[v] = hn::Add(side[v], now);
      }
    Real lanes[kLane];
    for (std::size_t v = 0; v < kVectors; ++v) store<Real>(side[v], lanes + v * kLanes<Real>);
    for (; j < x.cols; ++j) {
      g[j] *= std::fma(-y[j], y[j], Real(1));
      lanes[0] += g[j];
    }
    for (const Real lane : lanes) sums[i] += lane;
  }
}

template <class Real>
void adam(const AdamFactors<Real>& f, std::size_t n, const Real* gradient, Real* first,
          Real* second, Real* value) {
  const Vec<Real> decay1 = all(f.decay1), decay2 = all(f.decay2), rate = all(f.rate),
                  correct2 = all(f.correct2), epsilon = all(f.epsilon);
  struct Moved {
    Vec<Real> first, second, value;
  };
  const auto moved = [&](Vec<Real> g, Vec<Real> a, Vec<Real> b, Vec<Real> x) HWY_ATTR {
    a = fused<Real>(decay1, hn::Sub(g, a), a);
    b = fused<Real>(decay2, fused<Real>(g, g, hn::Neg(b)), b);
    const Vec<Real> scale = fused<Real>(hn::Sqrt(b), correct2, epsilon);
    return Moved{a, b, hn::Sub(x, hn::Div(hn::Mul(rate, a), scale))};
  };
  for_vectors<Real>(
      n,
      [&](std::size_t j) HWY_ATTR {
        const Moved now = moved(load<Real>(gradient + j), load<Real>(first + j),
                                load<Real>(second + j), load<Real>(value + j));
        store<Real>(now.first, first + j);
        store<Real>(now.second, second + j);
        store<Real>(now.value, value + j);
      },
      [&](std::size_t j, std::size_t count) HWY_ATTR {
        const auto part = [&](const Real* from)
                              HWY_ATTR { return load_first<Real>(from + j, count); };
        const Moved now = moved(part(gradient), part(first), part(second), part(value));
        store_first<Real>(now.first, first + j, count);
        store_first<Real>(now.second, second + j, count);
        store_first<Real>(now.value, value + j, count);
      });
}

// n is a multiple of a vector's length: rows of weights are padded.
template <class Real>
void drift(const MissedSteps<Real>& missed, std::size_t n, const Real* first, const Real* second,
           Real* value) {
  const Vec<Real> by = all(-missed.drift), epsilon = all(missed.epsilon);
  for (std::size_t j = 0; j < n; j += kLanes<Real>) {
    const Vec<Real> scale = hn::Add(hn::Sqrt(load<Real>(second + j)), epsilon);
    const Vec<Real> unit = hn::Div(load<Real>(first + j), scale);
    store<Real>(fused<Real>(by, unit, load<Real>(value + j)), value + j);
  }
}

// The same n.
template <class Real>
void catch_up(const MissedSteps<Real>& missed, std::size_t n, const Real* value, Real* first,
              Real* second, Real* average) {
  const Vec<Real> decay1 = all(missed.decay1), decay2 = all(missed.decay2),
                  drift = all(missed.drift), epsilon = all(missed.epsilon), keep = all(missed.keep),
                  lag = all(-missed.lag);
  for (std::size_t j = 0; j < n; j += kLanes<Real>) {
    const Vec<Real> a = load<Real>(first + j), b = load<Real>(second + j);
    store<Real>(hn::Mul(decay1, a), first + j);
    store<Real>(hn::Mul(decay2, b), second + j);
    if (average == nullptr) continue;
    const Vec<Real> unit = hn::Div(a, hn::Add(hn::Sqrt(b), epsilon));
    const Vec<Real> before = fused<Real>(drift, unit, load<Real>(value + j));
    const Vec<Real> still = fused<Real>(keep, hn::Sub(load<Real>(average + j), before), before);
    store<Real>(fused<Real>(lag, unit, still), average + j);
  }
}

template <class Real>
constexpr Kernels<Real> kTable{activate<Real>,
                               normalise_and_activate<Real>,
                               backward_activation<Real>,
                               column_moments<Real>,
                               column_products<Real>,
                               backward_normalisation<Real>,
                               axpy<Real>,
                               apply_mask<Real>,
                               tanh_features<Real>,
                               backward_tanh_features<Real>,
                               adam<Real>,
                               drift<Real>,
                               catch_up<Real>,
                               average<Real>};

}  // namespace

const Kernels<float>& float_kernels() {
  return kTable<float>;
}
const Kernels<double>& double_kernels() {
  return kTable<double>;
}

}  // namespace sieve::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include <algorithm>
#include <bit>

namespace sieve {

HWY_EXPORT(float_kernels);
HWY_EXPORT(double_kernels);

template <>
const Kernels<float>& kernels() {
  return HWY_DYNAMIC_DISPATCH(float_kernels)();
}
template <>
const Kernels<double>& kernels() {
  return HWY_DYNAMIC_DISPATCH(double_kernels)();
}

template <class Real>
void add_blocks(BlockSums<Real> parts, std::size_t which, Real* total) {
  std::fill_n(total, parts.stride, Real(0));
  for (std::size_t b = 0; b < parts.blocks; ++b) {
    const Real* part = parts.data + (2 * b + which) * parts.stride;
    for (std::size_t j = 0; j < parts.stride; ++j) total[j] += part[j];
  }
}

// Each block's squares are about its own mean; the distance of that mean from the common one is
// added, which loses no digits to a large mean.
template <class Real>
void combine_moments(BlockSums<Real> parts, std::size_t rows, Real* mean, Real* variance) {
  const Real share = Real(1) / static_cast<Real>(rows);
  add_blocks(parts, 0, mean);
  add_blocks(parts, 1, variance);
  for (std::size_t j = 0; j < parts.stride; ++j) mean[j] *= share;
  for (std::size_t b = 0; b < parts.blocks; ++b) {
    const Real height = static_cast<Real>(std::min(kBlockRows, rows - b * kBlockRows));
    const Real* sums = parts.data + 2 * b * parts.stride;
    for (std::size_t j = 0; j < parts.stride; ++j) {
      const Real distance = sums[j] / height - mean[j];
      variance[j] += height * distance * distance;
    }
  }
  for (std::size_t j = 0; j < parts.stride; ++j) variance[j] *= share;
}

DropoutRate::DropoutRate(double rate)
    : kept_(static_cast<unsigned>(std::clamp(std::lround(256 * (1 - rate)), 1L, 256L))) {}

// Reads the binary digits of keep() from the last to the first: a fair bit in front of what is
// there halves the chance (digit 0) or halves it and adds a half (digit 1).
std::uint64_t DropoutRate::draw(Random& random) const {
  std::uint64_t on = 0;
  for (unsigned digit = static_cast<unsigned>(std::countr_zero(kept_)); digit < 8; ++digit) {
    const std::uint64_t fair = random.bits();
    on = (kept_ >> digit) & 1U ? on | fair : on & fair;
  }
  return on;
}

#define SIEVE_INSTANTIATE(Real)                                  \
  template void add_blocks(BlockSums<Real>, std::size_t, Real*); \
  template void combine_moments(BlockSums<Real>, std::size_t, Real*, Real*);
SIEVE_INSTANTIATE(float)
SIEVE_INSTANTIATE(double)
#undef SIEVE_INSTANTIATE

}  // namespace sieve
#endif
