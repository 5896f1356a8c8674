#include "linalg/products.h"

#include <gtest/gtest.h>

#include <vector>

namespace sieve {
namespace {

template <class Real>
void expect_rows_become_columns(std::size_t first, std::size_t last) {
  constexpr std::size_t stride = 48, to_stride = 40;
  std::vector<Real> from(last * stride), to(stride * to_stride, -1);
  for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<Real>(i);
  transpose_strip(from.data(), stride, stride, first, last, to.data(), to_stride);
  for (std::size_t j = 0; j < stride; ++j)
    for (std::size_t i = 0; i < to_stride; ++i)
      ASSERT_EQ(to[j * to_stride + i], i < first || i >= last ? -1 : from[i * stride + j])
          << i << ' ' << j;
}

TEST(TransposeStrip, rows_become_columns_and_the_rest_stays) {
  for (const std::size_t last : {1U, 8U, 15U, 16U, 29U, 40U})
    for (const std::size_t first : {0U, 3U, 16U})
      if (first <= last) {
        expect_rows_become_columns<float>(first, last);
        expect_rows_become_columns<double>(first, last);
      }
}

}  // namespace
}  // namespace sieve
