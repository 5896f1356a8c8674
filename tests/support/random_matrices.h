#pragma once

#include "base/random.h"
#include "labelsieve/labels.h"
#include "labelsieve/matrix.h"

namespace sieve::test {

inline MatrixD random_matrix(std::size_t rows, std::size_t cols, std::uint64_t seed) {
  Random random(seed, Purpose::Test);
  MatrixD out(rows, cols);
  for (std::size_t i = 0; i < rows; ++i)
    for (double& value : out.row(i)) value = random.normal();
  return out;
}

// Dense features; about `share` of them are not 0.
inline Features random_features(std::size_t rows, std::size_t cols, std::uint64_t seed,
                                double share = 1) {
  Random random(seed, Purpose::Test, 1);
  Matrix out(rows, cols);
  for (std::size_t i = 0; i < rows; ++i)
    for (float& value : out.row(i))
      if (random.chance(share)) value = static_cast<float>(random.normal());
  return out;
}

inline LabelMatrix random_labels(std::size_t rows, std::size_t labels, std::uint64_t seed,
                                 double share = 0.4) {
  Random random(seed, Purpose::Test, 2);
  LabelMatrix out(rows, labels);
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t k = 0; k < labels; ++k) out.set(i, k, random.chance(share));
  return out;
}

}  // namespace sieve::test
