#pragma once

#include <cstddef>
#include <vector>

#include "labelsieve/labels.h"
#include "labelsieve/matrix.h"
#include "labelsieve/threads.h"
#include "linalg/design.h"
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

// The orthogonal H that makes ||A H - B|| least, for A and B of the same shape (orthogonal
// Procrustes): U V' from the singular value decomposition A'B = U S V'.
MatrixD best_rotation(const MatrixD& a, const MatrixD& b, ThreadPool& pool);

// The cheapest way to give every row of a square matrix of finite costs a column of its own: entry
// i of the answer is the column of row i. Hungarian method with shortest augmenting paths, O(n^3).
std::vector<std::size_t> cheapest_assignment(const MatrixD& costs);

struct ClusterSettings {
  double fuzziness = 0.5;   // lambda: squared distance at which membership falls to 1/e
  std::size_t rounds = 20;  // of the clustering, and of the match between clusters and labels
};

// Memberships of rows in as many clusters as there are labels: entropic fuzzy c-means that starts
// at the candidates, each row shared evenly. Rows of the result sum to 1.
MatrixD fuzzy_clusters(const Design& x, const LabelMatrix& candidates,
                       const ClusterSettings& settings, FitRun& run);

// The cluster of each label: centres of clusters, permuted, are matched with prototypes of labels
// (the mean of rows with the candidate), rotated, such that both lie closest together.
std::vector<std::size_t> clusters_of_labels(const Design& x, const LabelMatrix& candidates,
                                            const MatrixD& membership,
                                            const ClusterSettings& settings, FitRun& run);

// How much a candidate or its absence is to be believed (C): 1 for labels that are no candidates;
// for a candidate the row's membership in the label's cluster, with the row's range scaled to
// [0, 1], times the share of labels that are no candidates of the row, but at least 0.01.
MatrixD reliability(const LabelMatrix& candidates, const MatrixD& membership,
                    const std::vector<std::size_t>& cluster);

}  // namespace sieve
