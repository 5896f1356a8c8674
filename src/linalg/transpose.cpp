#include "linalg/products.h"

#include <cstring>
#include <utility>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "linalg/transpose.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace sieve::HWY_NAMESPACE {
namespace {

// Squares of this many rows and columns go through registers.
constexpr std::size_t kSide = 8;

template <class Real>
struct Lanes {
  typedef Real Vector __attribute__((vector_size(kSide * sizeof(Real))));
};

// One of a and one of b in turn: the first half of that (0) or the second (1).
template <std::size_t half, class Vector, std::size_t... u>
HWY_INLINE void mix(const Vector& a, const Vector& b, std::index_sequence<u...>, Vector& to) {
  to = __builtin_shufflevector(a, b, (half * kSide / 2 + u / 2 + u % 2 * kSide)...);
}

// Mixing row i with row i + 4 into rows 2 i and 2 i + 1 turns the six bits of (row, column) by one
// place. After three times row and column have changed places.
template <class Real>
HWY_INLINE void transpose_square(const Real* from, std::size_t stride, Real* to,
                                 std::size_t to_stride) {
  constexpr std::make_index_sequence<kSide> all;
  typename Lanes<Real>::Vector rows[kSide], mixed[kSide];
#pragma GCC unroll 8
  for (std::size_t i = 0; i < kSide; ++i) std::memcpy(&rows[i], from + i * stride, sizeof rows[i]);
#pragma GCC unroll 3
  for (int turn = 0; turn < 3; ++turn) {
#pragma GCC unroll 4
    for (std::size_t i = 0; i < kSide / 2; ++i) {
      mix<0>(rows[i], rows[i + kSide / 2], all, mixed[2 * i]);
      mix<1>(rows[i], rows[i + kSide / 2], all, mixed[2 * i + 1]);
    }
#pragma GCC unroll 8
    for (std::size_t i = 0; i < kSide; ++i) rows[i] = mixed[i];
  }
#pragma GCC unroll 8
  for (std::size_t i = 0; i < kSide; ++i) std::memcpy(to + i * to_stride, &rows[i], sizeof rows[i]);
}

template <class Real>
void turn(const Real* from, std::size_t stride, std::size_t cols, std::size_t first,
          std::size_t last, Real* to, std::size_t to_stride) {
  std::size_t i = first;
  for (; i + kSide <= last; i += kSide)
    for (std::size_t j = 0; j < cols; j += kSide)
      transpose_square(from + i * stride + j, stride, to + j * to_stride + i, to_stride);
  for (; i < last; ++i)
    for (std::size_t j = 0; j < cols; ++j) to[j * to_stride + i] = from[i * stride + j];
}

}  // namespace

void turn_float(const float* from, std::size_t stride, std::size_t cols, std::size_t first,
                std::size_t last, float* to, std::size_t to_stride) {
  turn(from, stride, cols, first, last, to, to_stride);
}
void turn_double(const double* from, std::size_t stride, std::size_t cols, std::size_t first,
                 std::size_t last, double* to, std::size_t to_stride) {
  turn(from, stride, cols, first, last, to, to_stride);
}

}  // namespace sieve::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sieve {

HWY_EXPORT(turn_float);
HWY_EXPORT(turn_double);

template <>
void transpose_strip(const float* from, std::size_t stride, std::size_t cols, std::size_t first,
                     std::size_t last, float* to, std::size_t to_stride) {
  HWY_DYNAMIC_DISPATCH(turn_float)(from, stride, cols, first, last, to, to_stride);
}
template <>
void transpose_strip(const double* from, std::size_t stride, std::size_t cols, std::size_t first,
                     std::size_t last, double* to, std::size_t to_stride) {
  HWY_DYNAMIC_DISPATCH(turn_double)(from, stride, cols, first, last, to, to_stride);
}

}  // namespace sieve
#endif
