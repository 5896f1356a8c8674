#pragma once

#include <string_view>

#include "labelsieve/labels.h"
#include "labelsieve/matrix.h"

namespace sieve {

// Error(Data) unless `given` (called `name` in the message) has the shape of the truth.
void check_shape(std::string_view name, const LabelMatrix& given, const LabelMatrix& truth);

// Error(Data) if a score is NaN, naming the first one's row and label.
template <class T>
void check_numbers(const BasicMatrix<T>& scores);

// Both of the above for scores.
template <class T>
void check_scores(const BasicMatrix<T>& scores, const LabelMatrix& truth);
void check_scores(const CandidateScores& scores, const LabelMatrix& truth);

}  // namespace sieve
