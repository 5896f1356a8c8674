#pragma once

#include <optional>
#include <vector>

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

// What candidates say of noise, given how likely each was thought to be one by trees that did not
// see the row. What a label cannot tell alone it learns from the others: how rates of noise spread,
// and how well the features tell labels, so that weak features are not taken for noise.
struct NoiseEvidence {
  // The probability that no label ever becomes a candidate where it is not right; 1/2 beforehand.
  double no_noise;
  std::vector<float> rates;  // of each label, the likeliest if there is noise
};

// The same for any number of threads but for the last bits.
NoiseEvidence weigh_noise(const Matrix& probabilities, const LabelMatrix& candidates,
                          ThreadPool& pool);

// Whether rows look as if they had been filled up to a number of candidates, two or more: none has
// fewer, and at least half have just as many. Right labels alone hardly ever come like that.
bool are_filled_up(const LabelMatrix& candidates);

// Whether candidates have to be taken for noisy: the rates that features tell of, or nothing. What
// features say is weighed alone, and together with what the other labels of a row say: right labels
// come together, so that a label that features tell badly is not taken for noise where other labels
// tell it. Much noise is found where one of the two answers says so, or both together, unless
// features alone surely see none; little, which parts of a blend would make much of, only where
// both are sure and features tell labels well.
std::optional<std::vector<float>> find_noise(const Matrix& probabilities,
                                             const LabelMatrix& candidates, ThreadPool& pool);

}  // namespace sieve
