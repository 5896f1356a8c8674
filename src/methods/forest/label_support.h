#pragma once

#include "labelsieve/labels.h"
#include "labelsieve/matrix.h"
#include "labelsieve/threads.h"

namespace sieve {

// How likely each label is a candidate, given what features say (`probabilities`) and which other
// labels the row has. Only support counts, a label that makes another more likely: right labels
// come together, labels that are added at random do not. What is learnt from one half of the rows
// is said of the other.
Matrix supported_by_other_labels(const Matrix& probabilities, const LabelMatrix& candidates,
                                 ThreadPool& pool);

}  // namespace sieve
