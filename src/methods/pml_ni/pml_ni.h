#pragma once

#include <cstddef>
#include <functional>

#include "linalg/design.h"
#include "methods/shared/fit_support.h"

namespace sieve {

// min over U, V (columns of Phi x labels) of
//   1/2 ||Y - Phi (U + V)||^2 + lambda/2 ||U + V||^2 + beta ||U||_* + gamma ||V||_1
struct PmlNiSettings {
  double lambda = 10, beta = 0.5, gamma = 0.5;
  std::size_t iterations = 500;
};

struct PmlNiSolution {
  MatrixD u;  // low rank: what the features tell of the labels
  MatrixD v;  // sparse: what they tell of the noise
  std::size_t iterations = 0;
  bool converged = false;
};

// Augmented Lagrangian with a copy W = U + V. `correlation` is Phi' Y; `watch` (may be empty) is
// shown U and V after every iteration.
using PmlNiWatch = std::function<void(const MatrixD& u, const MatrixD& v)>;
PmlNiSolution solve_pml_ni(const Resolvent& resolvent, const MatrixD& correlation,
                           const PmlNiSettings& settings, FitRun& run,
                           const PmlNiWatch& watch = {});

}  // namespace sieve
