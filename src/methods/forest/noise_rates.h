#pragma once

#include <vector>

#include "labelsieve/labels.h"
#include "labelsieve/matrix.h"

namespace sieve {

// How often each label is a candidate where it is not right, by rows that hardly have it: the share
// of candidates among the rows with the lowest probability, as trees that did not see them tell.
// Where features cannot single out such rows, that share is too high: it is shrunk towards what the
// labels that can tell say.
std::vector<float> noise_rates(const Matrix& probabilities, const LabelMatrix& candidates);

}  // namespace sieve
