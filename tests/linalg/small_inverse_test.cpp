#include "linalg/dense.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/random.h"
#include "labelsieve/error.h"

namespace sieve::test {
namespace {

TEST(SmallInverse, times_the_matrix_is_one) {
  for (const std::size_t size : {1U, 2U, 7U, 129U}) {
    Random random(size, Purpose::Test);
    MatrixD root(size, size), a(size, size);
    for (std::size_t i = 0; i < size; ++i)
      for (double& value : root.row(i)) value = random.uniform() - 0.5;
    for (std::size_t i = 0; i < size; ++i)
      for (std::size_t j = 0; j < size; ++j) {
        for (std::size_t p = 0; p < size; ++p) a(i, j) += root(i, p) * root(j, p);
        if (i == j) a(i, j) += 0.1;
      }
    const MatrixD inverse = small_inverse(a);
    double furthest = 0;
    for (std::size_t i = 0; i < size; ++i)
      for (std::size_t j = 0; j < size; ++j) {
        double product = 0;
        for (std::size_t p = 0; p < size; ++p) product += a(i, p) * inverse(p, j);
        furthest = std::max(furthest, std::abs(product - (i == j ? 1 : 0)));
      }
    EXPECT_LT(furthest, 1e-10) << size;
  }
}

TEST(SmallInverse, what_has_none_is_refused) {
  MatrixD a(2, 2);
  a(0, 0) = a(1, 1) = 1;
  a(0, 1) = a(1, 0) = 2;
  EXPECT_THROW(small_inverse(a), Error);
  a(0, 1) = a(1, 0) = NAN;
  EXPECT_THROW(small_inverse(a), Error);
}

}  // namespace
}  // namespace sieve::test
