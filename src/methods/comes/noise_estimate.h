#pragma once

#include "labelsieve/labels.h"
#include "labelsieve/matrix.h"
#include "methods/network/noise_model.h"

namespace sieve {

// How often labels are right and how often irrelevant ones become candidates, by the best bin of
// rows for each label: among rows that are nearly sure not to have label j, the share of those
// without candidate j is 1 - r_j; that share is largest in the purest bin. Bins are the rows with
// the lowest scores, and the one with the largest lower bound of the share (by
// Bernstein's inequality, with log rows as the caution) is taken. Then P(label j is right) follows
// from
//   P(candidate) = pi + (1 - pi) r.
// scores(i, j) says how likely j is a candidate of row i, by a network that did not learn from the
// row. Where features tell little about a label no bin is pure, and pi comes out too small.
NoiseModel estimate_noise(const Matrix& scores, const LabelMatrix& candidates);

}  // namespace sieve
