#pragma once

#include "labelsieve/labels.h"
#include "labelsieve/matrix.h"
#include "labelsieve/threads.h"

namespace sieve {

// The probability that no label ever becomes a candidate where it is not right, given how likely
// each was thought to be a candidate by trees that did not see the row. Beforehand it is 1/2. What
// a label cannot tell alone it learns from the others: how rates of noise spread, and how well the
// features tell labels, so that weak features are not taken for noise. The same for any number of
// threads but for the last bits.
double probability_of_no_noise(const Matrix& probabilities, const LabelMatrix& candidates,
                               ThreadPool& pool);

}  // namespace sieve
