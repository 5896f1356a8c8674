#pragma once

#include "labelsieve/labels.h"
#include "labelsieve/matrix.h"
#include "methods/network/noise_model.h"

namespace sieve {

// The score from which labels are best taken as on: it has the least Hamming loss, estimated from
// candidates alone. A cell that is on costs -1, and 2 more where it is irrelevant; the irrelevant
// cells of label k are those without the candidate, counted 1 / (1 - r_k) times (see risks.h).
double best_hamming_cut(const Matrix& scores, const LabelMatrix& candidates,
                        const NoiseModel& noise);

}  // namespace sieve
