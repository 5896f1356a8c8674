#pragma once

#include <span>

#include "labelsieve/labels.h"
#include "labelsieve/matrix.h"
#include "methods/network/noise_model.h"
#include "nn/panel.h"

// Two risks of a batch that need no truth. An irrelevant label j is left out of a row's candidates
// with a probability 1 - r_j that does not depend on the row, so rows without candidate j are a
// sample of the rows for which j is irrelevant. Counting each of them 1 / (1 - r_j) times gives,
// on average over batches, what the rows with irrelevant j would give. That factor is the paper's
// (1 - pi_j) n / n_j.
//
// `candidates` holds 0 and 1, `weight` that factor for each label. Both functions return the risk
// and set its gradient with respect to the logits. Where it is known how likely labels are right,
// that stands in the candidates' place and the factors are 1: the risks are then what the losses
// are expected to be.
namespace sieve {

// Mean over labels of |P_j| + N_j with the cross entropy of sigmoid(logit) as the loss:
//   N_j  the loss of "irrelevant" over rows with irrelevant j
//   P_j  the loss of "relevant" over all rows, less the same over rows with irrelevant j: that of
//        rows with relevant j. It can only come out negative by overfitting.
// `room` has two entries per label.
template <class Real>
double hamming_risk(View<const Real> logits, View<const Real> candidates,
                    std::span<const Real> weight, std::span<Real> room, View<Real> gradient);

// Mean over pairs of labels of sigmoid(logit_j - logit_k) over rows with irrelevant j, for both
// orders of the pair. The loss is symmetric: rows for which both are irrelevant add a constant.
// Flooding: where the risk R is below `flood`, R is pushed up again (|R - flood| + flood).
// `room` has an entry a label.
template <class Real>
double ranking_risk(View<const Real> logits, View<const Real> candidates,
                    std::span<const Real> weight, double flood, std::span<Real> room,
                    View<Real> gradient);

// The score from which labels are best taken as on: it has the least Hamming loss, estimated from
// candidates alone. A cell that is on costs -1, and 2 more where it is irrelevant; the irrelevant
// cells of label k are those without the candidate, counted 1 / (1 - r_k) times (see risks.h).
double best_hamming_cut(const Matrix& scores, const LabelMatrix& candidates,
                        const NoiseModel& noise);

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
