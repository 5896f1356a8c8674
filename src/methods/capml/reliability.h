#pragma once

#include <cstddef>
#include <vector>

#include "labelsieve/labels.h"
#include "labelsieve/matrix.h"
#include "labelsieve/threads.h"
#include "linalg/design.h"
#include "methods/shared/fit_support.h"

namespace sieve {

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
