#pragma once

#include <vector>

#include "labelsieve/matrix.h"
#include "methods/shared/fit_support.h"

namespace sieve {

// min over W and R >= 0 of
//   ||C o (R - Y)||^2 + ||K W - R||^2 + a ||Y - R||_1 + b ||W||_{2,1}
// K: inputs, Y: candidates as 0 and 1, C: reliability, R: corrected labels, W: weights. The last
// norm is the sum of the lengths of the rows of W.
struct CorrectionProblem {
  const MatrixD& inputs;
  const MatrixD& candidates;
  const MatrixD& reliability;
  double a = 0.1, b = 1;
};

struct CorrectedLabels {
  MatrixD weights, labels;
  std::vector<double> objective;  // after each round; does not rise
};

// Alternates the exact R with one reweighted least squares step for W, until their squared change
// is below 1e-5, or for `rounds` rounds.
CorrectedLabels correct_labels(const CorrectionProblem& problem, std::size_t rounds, FitRun& run);

// R of one cell: where C^2 (R - Y)^2 + (score - R)^2 + a |Y - R| is least.
double corrected_label(double candidate, double score, double reliability, double a);

}  // namespace sieve
